"""Small models of the query's surroundings."""
