"""What the experiments share: data, units of work, results, statistics."""
