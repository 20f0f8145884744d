"""Lazy associative classification."""
