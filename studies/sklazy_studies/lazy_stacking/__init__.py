"""The experiments of the paper on lazy bagging and stacking."""
