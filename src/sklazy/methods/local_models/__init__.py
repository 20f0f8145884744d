"""Local regression around each query."""
