"""Where slices of queries run: here, in threads, or wherever a backend puts them."""

from sklazy.backends.slices import Backend, Slice, current_backend, use_backend
from sklazy.backends.threads import count_workers, run_chunks

__all__ = [
    "Backend",
    "Slice",
    "count_workers",
    "current_backend",
    "run_chunks",
    "use_backend",
]
