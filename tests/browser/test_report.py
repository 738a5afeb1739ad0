"""The report in a real browser without a network: what a reader sees on a desk and on a phone."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.checkout import PROMPTS, TARGET, Checkout

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: make test-browser")
WebDriverException = pytest.importorskip("selenium.common").WebDriverException

DESK, PHONE = (1280, 900), (390, 844)  # width and height in CSS pixels; the second is a usual phone's
SMALLEST = 12  # pixels of a letter's height that most people still read
PATIENCE = 30.0  # seconds for the page to show what was clicked
PAGES = {
    "tables": (Path(TARGET).stem, Path(PROMPTS).stem, "smoke_examples"),
    "figures": ("smoke_fig2",),
}
SHOWN = [f"results/pages/{kind}/{name}.html" for kind, names in PAGES.items() for name in names]
OVERVIEW = "results/pages/overview.html"
REPORT = "results/report.html"

TEXT_TOO_SMALL = """
const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), small = [];
for (let node; node = walk.nextNode();) {
  const size = parseFloat(getComputedStyle(node.parentElement).fontSize);
  if (node.data.trim() && size < arguments[0]) small.push(node.data);
}
return small;
"""
SPILLING = """
return [...document.querySelectorAll('main *')].filter(each => !each.closest('.box') &&
  each.getBoundingClientRect().right > arguments[0] + 1).map(each => each.outerHTML.slice(0, 80));
"""
UNLOADED = "return [...document.images].filter(each => !each.naturalWidth).map(each => each.alt)"
HEADING = "return document.readyState === 'complete' && document.querySelector('h1')?.textContent"
PLACES = """
const [menu, page] = ['nav', 'iframe'].map(each => document.querySelector(each).getBoundingClientRect());
const {left, top, right, height} = page;
return {menu: menu.right, below: menu.bottom, left, top, right, height};
"""


@pytest.fixture(scope="module")
def folder(finished: Checkout) -> Iterator[Path]:
    """The small project with the pages of some of its results and the report of these."""
    rules = ("--allowed-rules", "report_page", "report_overview")
    finished.run(OVERVIEW, *SHOWN, *rules)
    style = ("--report-stylesheet", "workflow/report/snakemake.css")
    finished.run(OVERVIEW, *SHOWN, "--report", REPORT, *style)
    yield finished.folder
    shutil.rmtree(finished.folder / "results/pages")
    (finished.folder / REPORT).unlink()


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """A headless Chromium that reaches no network."""
    driver = shutil.which("chromedriver")
    if driver is None:
        reason = "there is no chromedriver: make test-browser"
        pytest.fail(reason) if os.environ.get("CONTRAPOSE_BROWSER") else pytest.skip(reason)
    options = webdriver.ChromeOptions()
    # A container has no user namespaces for the sandbox; the pages are our own.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    started.execute_cdp_cmd("Network.enable", {})
    started.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    yield started
    started.quit()


def opened(browser, path: Path, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
    """Open a file in a window of a size, with all that can be unfolded unfolded; forget older messages."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")


def until(answer: Callable) -> object:
    """Wait for an answer that is not empty."""
    end = time.monotonic() + PATIENCE
    while not (found := answer()):
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.1)
    return found


def complaints(browser) -> list[str]:
    """Return errors on the console, and what the page asked the network for."""
    errors = [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE"]
    sent = [line["message"] for line in browser.get_log("performance")]
    return errors + [line for line in sent if "requestWillBeSent" in line and '"url":"http' in line]


@pytest.mark.parametrize("page", [OVERVIEW, *SHOWN])
def test_a_page_is_readable_on_a_phone(folder, browser, page):
    opened(browser, folder / page, PHONE)
    # Not `innerWidth`: on a phone it grows with what is too wide.
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert browser.execute_script(SPILLING, PHONE[0]) == []
    assert browser.execute_script(TEXT_TOO_SMALL, SMALLEST) == []
    assert browser.execute_script(UNLOADED) == []
    assert complaints(browser) == []


def test_a_wide_table_scrolls_in_its_own_box_and_its_row_names_stay(folder, browser):
    opened(browser, folder / SHOWN[0], PHONE)
    script = """
    const box = document.querySelector('.box:has(table)'), name = box.querySelector('tbody th');
    const before = name.getBoundingClientRect().left;
    box.scrollLeft = 100;
    return [box.scrollLeft, name.getBoundingClientRect().left - before, scrollX];
    """
    assert browser.execute_script(script) == [100, 0, 0]


def test_a_page_is_dark_where_the_reader_wants_it(folder, browser):
    script = "const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]"
    seen = []
    for scheme in ("light", "dark"):
        opened(browser, folder / SHOWN[0], scheme=scheme)
        seen.append([brightness(colour) for colour in browser.execute_script(script)])
    (light, dark_text), (dark, light_text) = seen
    assert light > 200 > 100 > dark_text
    assert dark < 100 < 200 < light_text


def brightness(colour: str) -> float:
    """Return the mean of red, green and blue of `rgb(1, 2, 3)`, 0 to 255."""
    numbers = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(map(float, numbers)) / len(numbers)


def clicked(browser, text: str) -> None:
    """Click the link of the menu that has this text."""
    script = """
    const links = [...document.querySelectorAll('nav a')];
    const found = links.find(each => each.textContent.trim() === arguments[0]);
    if (found) found.click();
    return Boolean(found);
    """
    until(lambda: browser.execute_script(script, text))


def show(browser, name: str) -> None:
    """Click the eye of a result."""
    script = """
    const rows = [...document.querySelectorAll('nav tr')];
    const row = rows.find(each => each.textContent.trim() === arguments[0]);
    if (row) row.querySelector('a').click();
    return Boolean(row);
    """
    until(lambda: browser.execute_script(script, name))


def shown(browser) -> tuple[str, int, list[str]] | None:
    """Return heading, number of tables and broken images of the page that is shown; None before one is."""
    try:
        browser.switch_to.frame(browser.find_element("tag name", "iframe"))
        heading = browser.execute_script(HEADING)
        tables = browser.execute_script("return document.querySelectorAll('table').length")
        return (heading, tables, browser.execute_script(UNLOADED)) if heading else None
    except WebDriverException:  # the frame is not there yet, or gives way to the next
        return None
    finally:
        browser.switch_to.default_content()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_report_shows_its_pages_by_clicking(folder, browser, size):
    opened(browser, folder / REPORT, size)
    clicked(browser, "All studies")
    show(browser, "overview")
    until(lambda: (shown(browser) or [""])[0] == "What is built")
    for kind, names in PAGES.items():
        browser.get((folder / REPORT).as_uri())
        clicked(browser, "smoke")
        clicked(browser, kind)
        for name in names:
            show(browser, name)
            until(lambda name=name: (shown(browser) or [""])[0] == name)
            _, tables, broken = shown(browser)
            assert tables >= 1
            assert broken == []
    place = browser.execute_script(PLACES)
    assert place["right"] == place["menu"] if size == PHONE else place["right"] == size[0]
    # The menu is beside the page; where the screen is narrow, it is above.
    assert place["left"] == (0 if size == PHONE else place["menu"])
    assert place["top"] >= (place["below"] if size == PHONE else 0)
    assert place["height"] > size[1] / 2
    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
    assert complaints(browser) == []
