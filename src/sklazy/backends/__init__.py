"""Where chunks of queries run: here, or in threads."""

from sklazy.backends.chunks import count_workers, run_chunks

__all__ = ["count_workers", "run_chunks"]
