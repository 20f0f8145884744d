"""Rows erased from a model's file, with a certificate that can be checked."""
