"""The experiments of the paper on lazy attribute selection."""
