"""`sklazy serve`: a saved estimator over HTTP."""
