"""Blends of members of any kind."""
