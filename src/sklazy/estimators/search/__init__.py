"""Searches by racing: over parameters, and over sets of attributes."""
