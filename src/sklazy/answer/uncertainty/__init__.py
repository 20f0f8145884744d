"""Uncertainty of answers, from the predictions of cases left out."""
