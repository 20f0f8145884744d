"""Naive Bayes, which lazy selection and lazy Bayesian rules build on."""
