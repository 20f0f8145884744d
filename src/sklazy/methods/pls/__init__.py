"""Local partial least squares."""
