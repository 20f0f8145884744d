"""Races over parameters and attribute sets."""
