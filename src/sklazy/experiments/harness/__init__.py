"""What every experiment shares: data, folds, workers, results."""
