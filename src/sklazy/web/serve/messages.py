"""Messages between the processes of a server: JSON over a socket of this machine."""

import json
import socket
from multiprocessing.connection import Connection
from typing import Any

Plain = dict[str, Any]

_LARGEST = 1 << 30  # bytes


def listen_locally(path: str) -> socket.socket:
    """A socket for the processes of this user; `path` is in a folder of their own."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(path)
    listening.listen(64)
    return listening


def connect(path: str) -> Connection:
    """Connect to a process that listens."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.connect(path)
    except OSError:
        client.close()
        raise
    return Connection(client.detach())


def accept(listening: socket.socket) -> Connection:
    """The next process that connects."""
    client, _ = listening.accept()
    client.setblocking(True)
    return Connection(client.detach())


def send(connection: Connection, message: Plain) -> None:
    """Send a message."""
    connection.send_bytes(json.dumps(message).encode("ascii"))


def receive(connection: Connection) -> Plain:
    """Wait for a message; EOFError or OSError if the other process has gone."""
    content: Plain = json.loads(connection.recv_bytes(_LARGEST))
    return content
