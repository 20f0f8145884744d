"""Bags, and paths through trees of them, which ensembles and kernel models build on."""
