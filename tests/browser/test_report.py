"""The report in a real browser without a network: what a reader sees on a desk and on a phone."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from contrapose.tables import COST, empty, write_table
from contrapose.tools.report_file import main
from tests.checkout import PROMPTS, TARGET, Checkout

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: make test-browser")

DESK, PHONE = (1280, 900), (390, 844)  # width and height in CSS pixels; the second is a usual phone's
SMALLEST = 12  # pixels of a letter's height that most people still read
PAGES = {
    "tables": (Path(TARGET).stem, Path(PROMPTS).stem, "smoke_examples"),
    "figures": ("smoke_fig2",),
}
OVERVIEW = "overview"
SHOWN = [f"{kind}/{name}" for kind, names in PAGES.items() for name in names]
STUDIES = "thesis,prdsimcse,edacse,rise,ppdbcse"

VISIBLE = "const shown = document.querySelector('.page:target') ?? document.querySelector('#overview');"
TEXT_TOO_SMALL = f"""{VISIBLE}
const walk = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT), small = [];
for (let node; node = walk.nextNode();) {{
  const size = parseFloat(getComputedStyle(node.parentElement).fontSize);
  if (node.parentElement.closest(".picture svg")) continue; // drawn, and as large as in the PNG file
  if (node.data.trim() && size < arguments[0]) small.push(node.data);
}}
return small;
"""
SPILLING = f"""{VISIBLE}
return [...shown.querySelectorAll('*')].filter(each => !each.closest('.box') &&
  each.getBoundingClientRect().right > arguments[0] + 1).map(each => each.outerHTML.slice(0, 80));
"""
UNLOADED = f"{VISIBLE} return [...shown.querySelectorAll('img')].filter(each => !each.naturalWidth).length"
HEADINGS = """
const all = [...document.querySelectorAll('h1')];
return all.filter(each => each.checkVisibility()).map(each => each.textContent);
"""
BOTTOM = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"


@pytest.fixture(scope="module")
def report(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the small project."""
    return written(finished.folder, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on five studies of which nothing is built."""
    folder = tmp_path_factory.mktemp("unbuilt")
    (folder / "config").mkdir()
    (folder / "config/config.yaml").write_text("catalog: mini\n")
    write_table(empty(COST), folder / "results/generate/cost.parquet", COST)  # without it there is no report
    return written(folder, folder / "report.html", "--config", f"studies=[{STUDIES}]")


def written(folder: Path, to: Path, *arguments: str) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(["--to", str(to), *arguments])
    return to


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


def opened(
    browser, path: Path, size: tuple[int, int] = DESK, anchor: str = "", scheme: str = "light"
) -> None:
    """Open a file in a window of a size; forget older messages."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(f"{path.as_uri()}#{anchor}" if anchor else path.as_uri())


def unfold(browser) -> None:
    browser.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")


def complaints(browser) -> list[str]:
    """Return errors on the console, and what the page asked the network for."""
    errors = [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE"]
    sent = [line["message"] for line in browser.get_log("performance")]
    return errors + [line for line in sent if "requestWillBeSent" in line and '"url":"http' in line]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_report_opens_on_the_question_the_finding_and_the_chart(report, browser, size):
    opened(browser, report, size)
    assert browser.execute_script(HEADINGS) == ["A study of three runs and a prompt"]
    places = [browser.execute_script(BOTTOM, each) for each in ("h1", ".card dl", ".chart li")]
    assert 0 < places[0] < places[1] < places[2]
    assert places[1] <= size[1]


@pytest.mark.parametrize("anchor", [OVERVIEW, *SHOWN])
def test_everything_is_readable_on_a_phone(report, browser, anchor):
    opened(browser, report, PHONE, anchor)
    unfold(browser)
    # Not `innerWidth`: on a phone it grows with what is too wide.
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert browser.execute_script(SPILLING, PHONE[0]) == []
    assert browser.execute_script(TEXT_TOO_SMALL, SMALLEST) == []
    assert browser.execute_script(UNLOADED) == 0
    assert complaints(browser) == []


def test_a_study_that_is_not_built_is_one_line_and_fits_on_a_phone(unbuilt, browser):
    opened(browser, unbuilt)
    unfold(browser)
    lines = "return [...document.querySelectorAll('.unbuilt li')].map(each => each.offsetHeight)"
    heights = browser.execute_script(lines)
    assert len(heights) == 5
    assert max(heights) < 50
    opened(browser, unbuilt, PHONE)
    assert browser.execute_script(SPILLING, PHONE[0]) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]


def test_a_wide_table_scrolls_in_its_own_box_and_its_row_names_stay(report, browser):
    opened(browser, report, PHONE, SHOWN[0])
    script = """
    const box = document.querySelector('.page:target .box:has(table)'), name = box.querySelector('tbody th');
    const before = name.getBoundingClientRect().left;
    box.scrollLeft = 100;
    return [box.scrollLeft, name.getBoundingClientRect().left - before, scrollX];
    """
    assert browser.execute_script(script) == [100, 0, 0]


def test_a_click_on_the_head_of_a_column_sorts_its_rows_and_another_one_turns_them_round(report, browser):
    opened(browser, report, DESK, SHOWN[0])
    table = browser.find_element("css selector", ".page:target table:has(caption)")
    head = table.find_elements("css selector", "thead th")[1]
    for descending in (True, False):
        head.click()
        cells = table.find_elements("css selector", "tbody td:nth-of-type(1)")
        values = [float(cell.text.split()[0]) for cell in cells if cell.text[0].isdigit()]
        assert len(values) > 1
        assert values == sorted(values, reverse=descending)
    assert complaints(browser) == []


def test_methods_are_sorted_by_effect_and_without_a_script_also_as_in_the_table(report, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(browser, report)
    browser.find_element("css selector", "#chart .by-table").click()
    methods = browser.find_element("css selector", "#chart ol")  # of the first encoder
    marks = methods.find_elements("css selector", "li:not(.axis)")
    order = [int(mark.get_attribute("style").split(":")[1].strip(" ;")) for mark in sorted(marks, key=top)]
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert order == sorted(order)
    assert len(order) > 1


def top(element) -> float:
    return element.rect["y"]


def test_a_command_has_a_button_that_copies_it(report, browser):
    opened(browser, report, DESK, SHOWN[0])
    buttons = browser.find_elements("css selector", ".page:target .copied + button")
    assert [button.text for button in buttons] == ["Copy"]
    assert complaints(browser) == []


def test_the_report_is_dark_where_the_reader_wants_it(report, browser):
    script = "const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]"
    seen = []
    for scheme in ("light", "dark"):
        opened(browser, report, scheme=scheme)
        seen.append([brightness(colour) for colour in browser.execute_script(script)])
    (light, dark_text), (dark, light_text) = seen
    assert light > 200 > 100 > dark_text
    assert dark < 100 < 200 < light_text


def brightness(colour: str) -> float:
    """Return the mean of red, green and blue of `rgb(1, 2, 3)`, 0 to 255."""
    numbers = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(map(float, numbers)) / len(numbers)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_links_lead_to_a_page_alone_and_back(report, browser, size):
    opened(browser, report, size)
    (overview,), titles = browser.execute_script(HEADINGS), []
    for anchor in SHOWN:
        link = browser.find_element("css selector", f'.results a[href="#{anchor}"]')
        titles.append(link.text)
        link.click()
        assert browser.execute_script(HEADINGS) == titles[-1:]
        assert browser.execute_script("return document.querySelector('.page:target a').checkVisibility()")
        browser.find_element("css selector", '.page:target a[href="#overview"]').click()
        assert browser.execute_script(HEADINGS) == [overview]
    browser.back()
    assert browser.execute_script(HEADINGS) == titles[-1:]
    assert complaints(browser) == []
