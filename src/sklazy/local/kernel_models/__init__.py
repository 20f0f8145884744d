"""Similar cases answer together: coding, weights, settings and the solution."""
