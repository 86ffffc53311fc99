"""The test run itself cannot reach another machine (the fence stands in the root's conftest.py)."""

import socket
from pathlib import Path

import pytest

ELSEWHERE = "192.0.2.1"  # RFC 5737: an address that belongs to nobody


@pytest.mark.parametrize("host", [ELSEWHERE, "0.0.0.0"])
def test_a_connection_to_another_machine_is_refused(host: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        with pytest.raises(PermissionError, match="loopback"):
            connection.connect((host, 9))
        with pytest.raises(PermissionError, match="loopback"):
            connection.connect_ex((host, 9))


def test_a_connection_over_ipv6_to_another_machine_is_refused() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as connection:
        with pytest.raises(PermissionError, match="loopback"):
            connection.connect(("2001:db8::1", 9))


def test_a_datagram_to_another_machine_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        with pytest.raises(PermissionError, match="loopback"):
            sender.sendto(b"x", (ELSEWHERE, 9))
        with pytest.raises(PermissionError, match="loopback"):
            sender.sendmsg([b"x"], [], 0, (ELSEWHERE, 9))


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(PermissionError, match="loopback"):
        socket.getaddrinfo("example.invalid", 443)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_open(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection((host, server.getsockname()[1]), timeout=5) as connection:
            assert connection.getpeername() == server.getsockname()


def test_unix_sockets_are_open(tmp_path: Path) -> None:
    address = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(address)
