"""What HTTP clients take from the environment: the API key, certificates and proxies.

All is looked at before the first request: a wrong one ends the job in a sentence, with nothing sent or
recorded.
"""

import os
import re
import ssl
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from contrapose.base.errors import ConfigError
from contrapose.settings.catalogs import Connection
from contrapose.settings.catalogs.chat_models import THIS_MACHINE

if TYPE_CHECKING:
    import httpx

NO_KEY = "EMPTY"  # local servers take any key; some require one
PROXIES = ("http", "https", "socks5", "socks5h")  # schemes that httpx knows
# Read by httpx, the second where the first is not set, and by OpenSSL, which writes the keys of a
# connection to the third.
CERTIFICATES, FOLDER, KEYS = "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"
HASHED = re.compile(r"[0-9a-f]{8}\.\d+")  # name of a certificate in such a folder.  openssl-rehash(1)


def secret(connection: Connection) -> str:
    """Return the API key; raise ConfigError if its variable is not set, or holds what no header can hold."""
    if not connection.key:
        return NO_KEY
    value = os.environ.get(connection.key, "").strip()
    if not value:
        raise ConfigError(
            f"{connection.entry}.key: the environment variable {connection.key} is not set. Set it to "
            f"the API key (export {connection.key}=...). For a server without keys, set key: null."
        )
    if found := next((found for found in enumerate(value, 1) if not "!" <= found[1] <= "~"), None):
        place, odd = found
        name = "a line break" if odd in "\r\n" else unicodedata.name(odd, "a control character")
        raise ConfigError(
            f"{connection.entry}.key: the environment variable {connection.key} holds {name} "
            f"(U+{ord(odd):04X}) at character {place} of {len(value)}, which an API key cannot "
            "contain. Copy the key again. If a file holds the key in its first line: export "
            f'{connection.key}="$(head -n 1 FILE)".'
        )
    return value


def client_options(url: "httpx.URL", entry: str) -> dict[str, Any]:
    """Return the options of a client of httpx for one server: `verify`, `proxy` and `trust_env`.

    Certificates are read for https alone, and no proxy is asked about this machine.  A variable that does
    not matter for this server may hold anything.  Raises ConfigError that names the one that does.
    """
    import httpx

    verify = _certificates(entry) if url.scheme == "https" else False
    if url.host in THIS_MACHINE:
        return {"verify": verify, "trust_env": False}
    proxy = _proxy(url, entry)
    try:
        httpx.Client(verify=verify).close()
    except (ImportError, ValueError, httpx.InvalidURL):  # another proxy of the environment
        return {"verify": verify, "trust_env": False, "proxy": proxy}
    return {"verify": verify, "trust_env": True}  # which knows more forms of NO_PROXY


def is_address(address: str, schemes: tuple[str, ...]) -> bool:
    """Return whether a URL has one of some schemes, a host that can be looked up, and a port if any."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        host.encode("idna")  # UnicodeError for a part that is empty or too long
        whole = parts.scheme in schemes and bool(host) and parts.port != 0
    except ValueError:  # also an unmatched bracket, or a port that is not a number up to 65535
        return False
    if not whole or host.isascii():
        return whole
    import httpx

    try:
        return bool(httpx.URL(address).host)
    except httpx.InvalidURL:  # characters that no host has.  IDNA 2008
        return False


def _certificates(entry: str) -> ssl.SSLContext:
    import httpx

    name = CERTIFICATES if os.environ.get(CERTIFICATES) else FOLDER
    path = os.environ.get(name)
    try:
        if path and name == CERTIFICATES:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        elif path and not any(map(HASHED.fullmatch, os.listdir(path))):
            raise OSError("it contains no certificates, or they are not named as `openssl rehash` does it")
        name = KEYS if path else name
        return httpx.create_ssl_context()
    except OSError as error:  # ssl.SSLError is one, too
        raise ConfigError(
            f"{entry}.endpoint: the environment variable {name} names '{os.environ.get(name)}', but "
            f"this file or folder cannot be used ({error.strerror or error}). "
            "Correct the variable, or unset it."
        ) from error


class _Proxy(NamedTuple):
    address: str
    variable: str  # of the environment, which names it


def _named_proxy(url: "httpx.URL") -> _Proxy | None:
    """Return the proxy that the environment names for one server; None without one."""
    proxies = getproxies()
    scheme = url.scheme if proxies.get(url.scheme) else "all"
    address = proxies.get(scheme, "")
    if not address or url.host in THIS_MACHINE or proxy_bypass(url.host):
        return None
    named = (name for name in os.environ if name.lower() == f"{scheme}_proxy" and os.environ[name])
    # Of two variables the one in small letters counts.
    return _Proxy(address if "://" in address else f"http://{address}", max(named))


def unreached(url: "httpx.URL") -> str:
    """Return what to do about a server that does not answer, in sentences."""
    if url.host in THIS_MACHINE:
        return "Start the server, or correct its address, the key `endpoint` of this entry in the catalog."
    if proxy := _named_proxy(url):
        address = urlsplit(proxy.address)
        shown = f"{address.scheme}://{address.netloc.rpartition('@')[2]}"  # without a password
        return (
            f"The request goes through the proxy {shown}, which the environment variable {proxy.variable} "
            f"names. Correct the variable, or unset it, or add {url.host} to NO_PROXY to reach the server "
            "without a proxy."
        )
    return "Check the network and the address, the key `endpoint` of this entry in the catalog."


def _proxy(url: "httpx.URL", entry: str) -> str | None:
    """Return the address of the proxy for one server; None without one.

    Raises ConfigError for a wrong one.
    """
    import httpx

    proxy = _named_proxy(url)
    if proxy is None:
        return None
    at = f"{entry}.endpoint: the environment variable {proxy.variable}"
    unset = f"or unset it, or add {url.host} to NO_PROXY to reach the server without a proxy."
    if not is_address(proxy.address, PROXIES):
        expected = ", ".join(f"{each}://HOST:PORT" for each in PROXIES)
        raise ConfigError(f"{at} does not hold the address of a proxy ({expected}). Correct it, {unset}")
    try:
        httpx.HTTPTransport(proxy=proxy.address, verify=False)
    except ImportError as error:
        raise ConfigError(
            f"{at} names a SOCKS proxy, which needs another package. Install it (pip install "
            f'"httpx[socks]"), {unset}'
        ) from error
    return proxy.address
