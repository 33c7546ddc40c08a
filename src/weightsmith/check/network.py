"""Addresses of a cluster: `refuse_if_open` refuses those that other machines reach without TLS.

A scheduler, a worker and its nanny run any function for any client of their ports. Without TLS, Dask authenticates no
client.
"""

import socket
from importlib import import_module
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from weightsmith.errors import InputError, cut


def refuse_if_open(address: str, what: str) -> None:
    """Refuse an address that is neither loopback nor TLS; `what` names its owner, such as "the scheduler"."""
    if not is_closed(address):
        raise InputError(
            f"{what} is at {cut(address, 80)!r}, which is neither loopback nor TLS: anyone who reaches that port can "
            "run any code there; start it with --host 127.0.0.1, or with TLS, so that its address begins with tls://, "
            "or, if no one else uses that network, write --insecure-network (in Python insecure_network=True)"
        )


def is_closed(address: str) -> bool:
    """Return whether an address is TLS or loopback; all addresses of a host name must be.

    An unknown name is an OSError, a malformed address a ValueError.
    """
    addressing: Any = import_module("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    if scheme in ("tls", "inproc"):  # the second has no port
        return True
    host, _ = addressing.parse_host_port(place, 0)
    if not host:
        raise ValueError(f"the address {cut(address, 80)!r} names no host")
    found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    return all(_is_loopback(ip_address(number)) for number in found)


def _is_loopback(number: IPv4Address | IPv6Address) -> bool:
    mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
    return (mapped or number).is_loopback
