"""Lazy Bayesian rules."""
