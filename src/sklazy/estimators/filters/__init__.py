"""Transformers that discretize, rank and select."""
