import os
import sys

import httpx
import pytest

from contrapose.base.errors import ConfigError
from contrapose.generate.client_options import client_options, secret
from contrapose.settings.catalogs import LLM
from tests.unit.generate.test_client import ask, records

__all__ = ["ask"]  # a fixture
VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")
HTTPS, HTTP, LOCAL = (
    httpx.URL(f"{host}/v1") for host in ("https://a.org", "http://a.org", "http://127.0.0.1:1")
)


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Give a function that sets variables of the environment, in which there were none about connections."""
    (tmp_path / "empty.pem").touch()
    (tmp_path / "hashed").mkdir()
    (tmp_path / "hashed" / "0123abcd.0").touch()
    monkeypatch.setitem(sys.modules, "socksio", None)  # as if it were not installed
    for name in os.environ:
        if name.lower().endswith("_proxy") or name in VARIABLES:
            monkeypatch.delenv(name)

    def put(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value.replace("TMP", str(tmp_path)))

    return put


def error_of(url):
    with pytest.raises(ConfigError) as error:
        client_options(url, "llms.writer")
    (sentence,) = str(error.value).splitlines()
    assert sentence.startswith("llms.writer.endpoint: the environment variable ")
    return sentence.removeprefix("llms.writer.endpoint: the environment variable ")


@pytest.mark.parametrize(
    ("variables", "path", "why"),
    [
        ({"SSL_CERT_FILE": "TMP/none.pem"}, "TMP/none.pem", "No such file or directory"),
        ({"SSL_CERT_FILE": "TMP/empty.pem"}, "TMP/empty.pem", "[X509: NO_CERTIFICATE_OR_CRL_FOUND]"),
        ({"SSL_CERT_FILE": "TMP"}, "TMP", "Is a directory"),
        ({"SSL_CERT_DIR": "TMP/none"}, "TMP/none", "No such file or directory"),
        ({"SSL_CERT_DIR": "TMP"}, "TMP", "it contains no certificates"),
        ({"SSLKEYLOGFILE": "TMP/a/b", "SSL_CERT_DIR": "TMP/hashed"}, "TMP/a/b", "No such file or directory"),
    ],
)
def test_certificates_that_cannot_be_read_matter_for_https_alone(environment, tmp_path, variables, path, why):
    environment(**variables)
    path = path.replace("TMP", str(tmp_path))
    said = error_of(HTTPS)
    assert said.startswith(
        f"{next(iter(variables))} names '{path}', but this file or folder cannot be used ({why}"
    )
    assert said.endswith("Correct the variable, or unset it.")
    for url in (HTTP, LOCAL):
        httpx.Client(**client_options(url, "llms.writer")).close()


def test_certificates_that_can_be_read_are_used(environment):
    environment(SSL_CERT_DIR="TMP/hashed")
    assert client_options(HTTPS, "llms.writer")["verify"].check_hostname


NO_ADDRESS = "_PROXY does not hold the address of a proxy (http://HOST:PORT, "


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"ALL_PROXY": "socks5://h:1"}, "ALL_PROXY names a SOCKS proxy, which needs another package"),
        (
            {"all_proxy": "socks5h://h:1"},
            'Install it (pip install "httpx[socks]"), or unset it, or add a.org',
        ),
        ({"HTTP_PROXY": "foo://x:1", "HTTPS_PROXY": "foo://x:1"}, NO_ADDRESS),
        ({"ALL_PROXY": "::::"}, f"ALL{NO_ADDRESS}"),
        ({"ALL_PROXY": "http://h:99999"}, f"ALL{NO_ADDRESS}"),
        ({"ALL_PROXY": "socks4://user:word@h:1"}, f"ALL{NO_ADDRESS}"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(environment, variables, says):
    environment(**variables)
    for url in (HTTPS, HTTP):
        assert says in error_of(url)
        assert "word" not in error_of(url)
    httpx.Client(**client_options(LOCAL, "llms.writer")).close()
    environment(NO_PROXY="b.org, a.org")
    assert client_options(HTTP, "llms.writer").get("proxy") is None


def test_a_proxy_that_is_for_other_servers_may_be_any(environment):
    environment(ALL_PROXY="socks5://h:1", http_proxy="h:3128")
    options = client_options(HTTP, "llms.writer")
    assert options == {"verify": False, "trust_env": False, "proxy": "http://h:3128"}
    httpx.Client(**options).close()
    assert "ALL_PROXY" in error_of(HTTPS)
    environment(https_proxy="http://h:3128", ALL_PROXY="http://h:1")
    assert client_options(HTTPS, "llms.writer")["trust_env"]


KEY = "sk-Drill-SECRET-Zx9Lm4"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (f"{KEY}\n# key of the team", "holds a line break (U+000A) at character 23 of 40"),
        (f"{KEY}\r\n{KEY}", "holds a line break (U+000D) at character 23 of"),
        (f"{KEY[:5]}\u2014{KEY[5:]}", "holds EM DASH (U+2014) at character 6 of 23"),
        (f"{KEY[:9]}\u2026", "holds HORIZONTAL ELLIPSIS (U+2026) at"),
        (f"\ufeff{KEY}", "holds ZERO WIDTH NO-BREAK SPACE (U+FEFF) at character 1 of"),
        (f"{KEY}\u00e9{KEY}", "holds LATIN SMALL LETTER E WITH ACUTE"),
        (f"{KEY} {KEY}", "holds SPACE (U+0020) at character 23 of 45"),
        (f"{KEY[:9]}\t{KEY}", "holds a control character (U+0009)"),
    ],
)
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(monkeypatch, value, says):
    monkeypatch.setenv("TEST_KEY", value)
    with pytest.raises(ConfigError) as error:
        secret(LLM(model="m", endpoint="http://a/v1", key="TEST_KEY").connection("writer"))
    assert f"llms.writer.key: the environment variable TEST_KEY {says}" in str(error.value)
    assert not any(part in str(error.value) for part in (KEY[3:9], "Zx9Lm4"))


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({"TEST_KEY": f"{KEY}\n{KEY}"}, "http://127.0.0.1:1/v1"),
        ({"TEST_KEY": KEY, "ALL_PROXY": "socks5://h:1"}, "http://a.org/v1"),
        ({"TEST_KEY": KEY, "SSL_CERT_FILE": "TMP/none.pem"}, "https://a.org/v1"),
    ],
)
def test_what_is_wrong_before_a_request_stops_with_nothing_recorded(
    environment, ask, tmp_path, variables, url
):
    environment(**variables)
    replies = ask(5, endpoint=url, key="TEST_KEY", budget=1.0, prompt_price=1.0)
    assert {type(reply) for reply in replies} == {ConfigError}
    assert (tmp_path / "w.jsonl").read_text() == ""


@pytest.mark.parametrize(
    "error",
    [
        httpx.LocalProtocolError("Illegal header value"),
        httpx.ConnectError(
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
        ),
        UnicodeError("encoding with 'idna' codec failed"),
    ],
)
def test_a_request_that_cannot_be_sent_is_no_cost_and_not_repeated(
    ask, virtual, tmp_path, monkeypatch, error
):
    async def refusing(_, request):
        virtual.requests.append(request)
        raise error

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", refusing)
    (found,) = ask(1)
    said = (
        f"the request could not be sent ({type(error).__name__}: {error}). Answers received so far are kept."
    )
    assert str(found) == f"llms.chatgpt.endpoint: http://127.0.0.1:1/v1: {said}"
    assert len(virtual.requests) == 1
    assert [(one["outcome"], one["paid"]) for one in records(tmp_path, "unanswered")] == [("unsent", "no")]
