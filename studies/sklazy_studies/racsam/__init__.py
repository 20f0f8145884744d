"""The experiments of the paper on RACSAM."""
