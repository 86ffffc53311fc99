"""For the whole test run: no connection leaves this machine, and each failure is shown when it happens.

The fence stands in the process of the test run; a child process that a test starts has none.
"""

import ipaddress
import socket
import sys

import pytest

pytest_plugins = ["tests.means"]

_ADDRESS_EVENTS = ("socket.connect", "socket.sendto", "socket.sendmsg")
_NAME_EVENTS = ("socket.getaddrinfo", "socket.gethostbyname")


@pytest.hookimpl(trylast=True)  # after pytest's own terminal reporter is there
def pytest_configure(config: pytest.Config) -> None:
    # An audit hook cannot be taken away again: no test lifts the fence, not even by accident.
    sys.addaudithook(_refuse_the_network)
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        config.pluginmanager.register(_FailuresAtOnce(reporter), "failures-at-once")


class _FailuresAtOnce:
    """Prints each failure as soon as it is known; the run's own summary repeats it at the end."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._reporter.ensure_newline()
            self._reporter.write_line(f"FAILED {report.nodeid} ({report.when})", red=True)
            self._reporter.write_line(report.longreprtext)
            self._reporter.flush()


def _refuse_the_network(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: refuses an address before the operating system sees it."""
    if event in _ADDRESS_EVENTS:
        allowed = _may_reach(arguments[0], arguments[1])
        target = arguments[1]
    elif event in _NAME_EVENTS:
        allowed = _is_local(arguments[0])
        target = arguments[0]
    else:
        return
    if not allowed:
        raise PermissionError(f"{event} to {target!r}: tests may reach loopback and Unix sockets only")


def _may_reach(connection: object, address: object) -> bool:
    if getattr(connection, "family", None) == getattr(socket, "AF_UNIX", "none"):
        return True
    if address is None:  # sendmsg on a socket whose connection was allowed before
        return True
    return isinstance(address, tuple) and _is_local(address[0])


def _is_local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in ("localhost", "", None):
        return True
    try:
        return isinstance(host, str) and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
