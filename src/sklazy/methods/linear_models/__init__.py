"""One linear model of all cases: logistic for classes, a ridge line for numbers."""
