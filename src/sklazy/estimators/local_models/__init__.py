"""Local regression and classification."""
