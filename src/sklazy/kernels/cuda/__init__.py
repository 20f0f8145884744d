"""CUDA sources, one per family, and the device that compiles and runs them."""
