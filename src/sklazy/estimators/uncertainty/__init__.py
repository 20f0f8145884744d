"""What estimators say of how sure they are."""
