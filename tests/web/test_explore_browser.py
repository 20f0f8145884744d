"""The explorer in a real browser: every page opened, clicked, typed into."""

import contextlib
import http.server
import json
import re
import shutil
import threading

import numpy as np
import pandas as pd
import pytest

import sklazy
from explored import flats, nearest_class, wait_for

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("no chromium on this machine", allow_module_level=True)
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

PATIENCE = 20_000  # milliseconds
WIDE, PHONE = {"width": 1600, "height": 1000}, {"width": 400, "height": 850}


@pytest.fixture(scope="module")
def browser():
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@contextlib.contextmanager
def page_on(browser, model, size=WIDE, refused=False, **options):
    """A page on a model; it must not complain, and ask nobody else."""
    said = []
    with model.explore(browser=False) as explorer:
        wait_for(explorer._session, "left-out")
        context = browser.new_context(viewport=size, **options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda one: said.append(f"{one.type}: {one.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda one: (said.append("dialog"), one.dismiss()))
        home = explorer.url.split("/?")[0]
        page.on(
            "request",
            lambda one: (
                one.url.startswith((home, "data:", "blob:")) or said.append(one.url)
            ),
        )
        page.goto(explorer.url)
        page.wait_for_selector("h1")
        page.explorer = explorer
        yield page
        context.close()
    if refused:  # what the server refuses, the browser notes
        said = [one for one in said if "responded with a status of 4" not in one]
    assert said == []


def chosen(page):
    """The case that the address names."""
    found = re.search(r"[#&]case=([^&]*)", page.url)
    return found and found[1]


def until(page, expression):
    """Wait for something; the page's policy forbids to evaluate text in it."""
    for _ in range(PATIENCE // 50):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(expression)


def go(page, fragment):
    page.goto(page.url.split("#")[0] + "#" + fragment)


@pytest.fixture(scope="module")
def model():
    frame, label, _ = flats()
    label = label.copy()
    label[frame["size"].idxmax()] = "cheap"
    return nearest_class().fit(frame, label)


def test_from_the_overview_to_the_cases_of_a_cell(browser, model):
    with page_on(browser, model) as page:
        page.wait_for_selector(".confusion a")
        assert page.locator(".card").count() == 4
        assert page.locator("#facts").inner_text().startswith("· price · 60 cases")
        cell = page.locator(".confusion td.wrong a").first
        n_cases = int(cell.inner_text())
        cell.click()
        page.wait_for_selector(".cases tr[data-id]")
        assert page.locator(".cases tr[data-id]").count() == n_cases
        assert page.locator("h1").inner_text() == "Cases"
        page.get_by_label("Remove this filter").click()
        until(page, "document.querySelectorAll('tr[data-id]').length == 50")
        page.get_by_role("button", name="next").click()
        until(page, "document.querySelectorAll('tr[data-id]').length == 10")


def test_filters_sorting_search_and_nothing_found(browser, model):
    frame, _, _ = flats()
    with page_on(browser, model) as page:
        go(page, "view=cases")
        page.get_by_text("Add a filter").click()
        page.get_by_label("Column", exact=True).select_option("size")
        page.locator("[name=low]").fill("60")
        page.locator(".forms form").first.get_by_role("button").click()
        n_large = int((frame["size"] >= 60).sum())
        shown = page.locator(".pager > span").first
        api.expect(shown).to_contain_text(f"of {n_large} (60 in all)")
        page.locator("th a", has_text="size").click()
        page.locator("th[aria-sort=ascending] a", has_text="size").click()
        page.wait_for_selector("th[aria-sort=descending]")
        first = page.locator("tr[data-id]").first
        assert first.get_attribute("data-id") == str(frame["size"].idxmax())
        page.locator("#find").fill("no such id")
        page.locator("#find").press("Enter")
        page.wait_for_selector(".empty")
        page.get_by_text("Remove all filters").click()
        page.wait_for_selector("tr[data-id]")


def test_what_if_follows_and_is_in_the_address(browser, model):
    frame, _, _ = flats()
    with page_on(browser, model) as page:
        go(page, "view=cases&case=7")
        page.wait_for_selector(".voters")
        answer = page.locator(".part-answer .big")
        before = answer.inner_text()
        slider = page.locator(".field", has_text="size").locator("input[type=range]")
        edge = 119 if frame["size"][7] < 70 else 21
        slider.fill(str(edge))
        api.expect(answer).to_contain_text("→")
        until(page, "location.hash.includes('edits')")
        others = nearest_class().fit(*flats()[:2])  # labels differ in one far case
        edited = frame[7:8].assign(size=float(edge))
        expected = others.forget([7]).predict(edited)[0]
        api.expect(answer).to_contain_text(expected)
        assert before not in ("", answer.inner_text())
        page.reload()  # the address has it all
        api.expect(page.locator(".part-answer .big")).to_contain_text("→")


def test_neighbors_can_be_left_out_and_receipts_kept(browser, model):
    with page_on(browser, model) as page:
        go(page, "view=cases&case=7&edits=%7B%22size%22:30%7D")
        page.wait_for_selector(".voters")
        page.get_by_role("button", name="Undo all edits").click()
        until(page, "!location.hash.includes('edits')")
        page.locator(".field", has_text="heating").get_by_label("missing").first.check()
        page.wait_for_selector("text=Measure next")
        page.locator(".voters button").first.click()
        page.wait_for_selector(".part-answer .chip")
        page.get_by_label("Put case").click()
        page.locator(".by-class summary").first.click()
        page.wait_for_selector(".groups .histogram .here", state="attached")
        page.get_by_text("Full receipt").click()
        page.wait_for_selector(".whole h4")
        with page.expect_download() as found:
            page.locator(".part-all .saves a", has_text="JSON").click()
        receipt = json.loads(found.value.path().read_text())
        assert receipt["schema"].startswith("sklazy-receipt")


def test_a_new_row_is_pasted_or_typed(browser, model):
    with page_on(browser, model) as page:
        page.locator("#find").fill("110,2,oil,1990")
        page.get_by_role("button", name="Find").click()
        page.wait_for_selector("text=A new row")
        api.expect(page.locator(".part-answer")).to_contain_text("dear")
        page.get_by_label("Close this row").click()
        page.get_by_text("Enter a new row").click()
        page.locator(".field", has_text="size").locator("input[type=number]").fill("25")
        api.expect(page.locator(".part-answer")).to_contain_text("cheap")


def test_the_map_shares_the_selection(browser, model):
    with page_on(browser, model) as page:
        held = []
        page.route("**/api/map", lambda route: held.append(route))
        go(page, "view=map")
        note = page.locator("#what p[role=status].soft")
        api.expect(note).to_have_text("Computing the map …")
        held.pop().continue_()
        page.unroute("**/api/map")
        go(page, "view=map&case=7")
        page.wait_for_selector(".voters")
        api.expect(note).to_contain_text("60 of 60 cases")
        for name in ["error", "doubt", "class"]:
            page.get_by_label(name, exact=True).check()
            page.wait_for_selector(".legend li")
        page.get_by_label("distances on the features").check()
        until(page, "location.hash.includes('local=1')")
        canvas = page.locator(".plane canvas")
        canvas.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        api.expect(page.locator(".tip")).to_contain_text("Case")
        page.keyboard.press("Enter")
        name = re.search(r"Case (\w+)", page.locator(".tip").inner_text())[1]
        until(page, f"location.hash.includes('case={name}')")
        api.expect(page.locator("#row h2")).to_have_text(f"Case {name}")


def test_findings_become_changes_that_can_be_undone(browser, model):
    frame, label, _ = flats()
    worst = str(frame["size"].idxmax())
    with page_on(browser, model) as page:
        go(page, "view=audit")
        page.get_by_role("button", name="Find doubtful").click()
        page.wait_for_selector(".finding")
        assert page.locator(".finding p a", has_text="case").count() > 1
        page.get_by_label(f"Relabel to dear, case {worst}").first.click()
        page.wait_for_selector(".made")
        page.wait_for_selector("text=Changes (1)")
        page.get_by_text("Changes (1)").click()
        page.wait_for_selector("text=relabeled to dear")
        with page.expect_download() as found:
            page.get_by_text("cases with the changes, CSV").click()
        written = pd.read_csv(found.value.path())
        assert written["price"].tolist() == label.tolist()
        page.get_by_label("Undo change 1").click()
        page.wait_for_selector("text=There are no changes yet")
        assert page.explorer.model.digest() == model.digest()
        go(page, "view=cases&case=7")
        page.get_by_role("button", name="Forget", exact=True).click()
        page.wait_for_selector(".hint")
        until(page, "document.querySelector('tr[data-id=\"7\"]') === null")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_harmful_cases_are_listed_and_forgotten(browser, model, size):
    worst = sklazy.case_values(model).worst(1)[0]
    with page_on(browser, model, size) as page:
        go(page, "view=audit")
        page.get_by_role("button", name="most harmful").click()
        lowest = page.get_by_role("region", name="Lowest values")
        first = lowest.locator("tbody tr").first
        api.expect(first).to_contain_text(f"case {worst}")
        assert lowest.locator("tbody tr").count() == 10
        highest = page.get_by_role("region", name="Highest values").locator("tbody a")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.evaluate(UNNAMED) == []
        first.get_by_label(f"Forget, case {worst}").click()
        api.expect(first).to_contain_text("forgotten")
        page.wait_for_selector("text=Changes (1)")
        assert worst not in page.explorer.model.cases_.ids
        best = highest.first.inner_text().split()[1]
        highest.first.click()
        until(page, f"location.hash.includes('case={best}')")


def test_hostile_names_and_labels_run_nothing(browser):
    nasty = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    names = [nasty, "__proto__", "javascript:window.hit=1", "a\u202eb\n{{7*7}}"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=names[:3])
    frame[names[3]] = rng.choice([nasty, "<b>x</b>", "constructor"], 30)
    label = pd.Series(np.where(frame[names[0]] > 0, nasty, "toString"), name=nasty)
    ids = [f"{nasty}{i}" for i in range(30)]
    hostile = nearest_class().fit(frame, label, ids=ids)
    with page_on(browser, hostile) as page:
        for view in ["cases", "map", "audit", "changes", "overview"]:
            page.keyboard.press("Escape")
            go(page, f"view={view}")
            title = view.capitalize()
            api.expect(page.locator("h1")).to_have_text(title)
        go(page, "view=cases")
        page.locator("tr[data-id] a").first.click()
        page.wait_for_selector(".voters")
        page.get_by_text("Full receipt").click()
        page.wait_for_selector(".whole h4")
        assert page.evaluate("window.hit") is None
        assert page.locator("img[src=x], main b").count() == 0
        assert nasty[:40] in page.locator(".part-head").inner_text()


def test_addresses_that_make_no_sense_are_survived(browser, model):
    with page_on(browser, model, refused=True) as page:
        go(page, "view=cases&filters=%7B&edits=[[[&case=__proto__&cell=9&page=zz")
        api.expect(page.locator("#problem")).not_to_be_empty()
        go(page, "view=nowhere&sort=no")
        api.expect(page.locator("h1")).to_have_text("Overview")


def test_a_phone_and_the_keyboard_alone(browser, model):
    with page_on(browser, model, PHONE, color_scheme="dark") as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.keyboard.press("2")
        page.wait_for_selector(".cases tr[data-id]")
        page.keyboard.press("j")
        page.wait_for_selector(".voters")
        page.keyboard.press("j")
        until(page, "location.hash.includes('case=1')")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.keyboard.press("/")
        page.keyboard.type("12")
        page.keyboard.press("Enter")
        api.expect(page.locator("#row h2")).to_have_text("Case 12")
        page.locator("#row .close").focus()
        page.keyboard.press("Escape")
        page.wait_for_selector(".hint")
        for key, title in [("3", "Map"), ("4", "Audit"), ("5", "Changes")]:
            page.keyboard.press(key)
            api.expect(page.locator("h1")).to_have_text(title)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
        names = page.evaluate(UNNAMED)
        assert names == []
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        for _ in range(2):
            page.locator("#theme").press("Enter")
        after = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.locator("#theme").press("Enter")
        assert before == after == "rgb(22, 27, 34)"


UNNAMED = """[...document.querySelectorAll('button, input, select, a, canvas')]
  .filter((one) => one.tabIndex >= 0 && one.offsetParent)
  .filter((one) => !(one.getAttribute('aria-label')
    || one.textContent.trim() || one.labels?.length))
  .map((one) => one.outerHTML)"""


def test_numbers_are_explored_as_well(browser):
    frame, _, rent = flats()
    with page_on(browser, sklazy.LazyLearningRegressor().fit(frame, rent)) as page:
        page.wait_for_selector(".plot .point")
        go(page, "view=cases&case=7&sort=doubt&falling=1")
        page.wait_for_selector(".waterfall")
        api.expect(page.locator(".interval")).to_contain_text("90 % interval")
        assert page.evaluate(UNNAMED) == []
        page.locator(".part-against input").fill("250")
        page.locator(".part-against input").press("Enter")
        until(page, "location.hash.includes('delta=250')")
        page.wait_for_selector(".part-against a")
        page.locator(".decisions input").fill("333")
        page.get_by_role("button", name="Relabel").click()
        page.wait_for_selector("text=Changes (1)")
        api.expect(page.locator(".part-head")).to_contain_text("rent is 333")


def test_numbers_are_rounded_as_in_the_receipt(browser):
    """Prices of six digits have no decimals, whichever place on the page they have."""
    frame, _, rent = flats()
    price = (600 * rent + 0.4845).rename("price")
    model = sklazy.LazyKernelRegressor()
    others = model.fit(frame.drop(index=59), price.drop(index=59))
    expected = f"{others.predict(frame.loc[[59]])[0]:.0f}"
    (receipt,) = others.explain(frame.loc[[59]])
    assert f"Predicted price: {expected} (" in " ".join(receipt.to_text().split())
    model.partial_fit(frame.loc[[59]], price.loc[[59]])
    with page_on(browser, model) as page:
        go(page, "view=cases&case=59")
        page.wait_for_selector(".waterfall")
        api.expect(page.locator(".part-answer .big strong")).to_have_text(expected)
        written = page.locator(
            ".waterfall .raises, .waterfall .lowers"
        ).all_inner_texts()
        assert written
        assert all(re.fullmatch(r"[+\u2212](\d+|0\.\d)", one) for one in written)
        listed = page.locator(".voters tr td:nth-child(2)").all_inner_texts()
        assert len(listed) > 2
        assert all(re.fullmatch(r"\d*", one) for one in listed)


NARROW = {"width": 1000, "height": 900}


def top_of(page, selector):
    """Where an element begins on the screen, in pixels from the top."""
    return page.locator(selector).first.bounding_box()["y"]


@pytest.mark.parametrize("size", [NARROW, PHONE])
def test_a_found_case_opens_in_view_and_the_answer_stays(browser, model, size):
    with page_on(browser, model, size) as page:
        page.locator("#find").fill("7")
        page.locator("#find").press("Enter")
        api.expect(page.locator(".part-answer .big")).to_contain_text("(")
        assert 0 <= top_of(page, "#row h2") < 100
        assert 0 <= top_of(page, ".part-answer") < 300
        page.wait_for_selector(".curve svg")
        page.locator(".field input[type=range]").last.scroll_into_view_if_needed()
        until(page, "scrollY > 500")
        assert top_of(page, ".part-answer") == pytest.approx(0, abs=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_every_value_has_its_sign_and_its_curve(browser, model):
    with page_on(browser, model) as page:
        go(page, "view=cases&case=7")
        until(page, "document.querySelectorAll('.curve svg').length == 4")
        reasons = page.explorer.model.forget([7]).contributions(flats()[0][7:8])
        told = dict(zip(reasons.names, reasons.values[0], strict=True))
        for name, value in told.items():
            field = page.locator(f".field[data-name={name}]")
            points = f"{abs(100 * value):.1f} points"
            api.expect(field.locator(".adds")).to_contain_text(points)
            assert field.locator(".curve .here").count() == 1
        names = page.locator(".waterfall tbody tr:not(.end) td:first-child")
        order = sorted(told, key=lambda name: -abs(told[name]))
        assert names.all_inner_texts() == [name for name in order if told[name]]
        page.get_by_role("button", name="Try other values").click()
        page.get_by_role("link", name="try it").first.click()
        api.expect(page.locator(".part-answer")).to_contain_text("changed")
        sides = page.locator("tr.side").all_inner_texts()
        assert sides[0].startswith("For this prediction")


def test_a_date_is_one_control(browser):
    frame, label, _ = flats()
    frame["sold"] = pd.date_range("2024-01-01", periods=60)
    with page_on(browser, nearest_class().fit(frame, label)) as page:
        go(page, "view=cases&case=7")
        page.wait_for_selector(".voters")
        field = page.locator(".field", has_text="sold")
        assert field.count() == 1
        assert field.locator("input[type=date]").input_value() == "2024-01-08"
        field.locator("input[type=date]").fill("2024-02-20")
        until(page, "location.hash.includes('19773')")
        assert "2024-01-08" in page.locator(".cases").inner_text()
        assert "19730" not in page.locator("main").inner_text()


@contextlib.contextmanager
def notebook_at(text):
    """The address of a page that is served under another name of this machine."""

    class Notebook(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_a_notebook_on_another_site_shows_it_in_a_frame(browser, model):
    options = {"browser": False, "read_only": True, "beside": {"b": model}}
    with (
        model.explore(**options) as explorer,
        notebook_at(explorer.to_html(600)) as address,
    ):
        context = browser.new_context(viewport=WIDE)
        page = context.new_page()
        page.goto(address)
        frame = page.frame_locator("iframe")
        frame.get_by_role("link", name="b", exact=True).click()
        api.expect(frame.locator("h1")).to_have_text("Overview")
        frame.get_by_role("link", name="Cases", exact=True).click()
        frame.locator("tr[data-id] a").first.click()
        api.expect(frame.locator(".waterfall").first).to_be_visible()
        assert frame.get_by_role("button", name="Keep as it is").count() == 0
        assert frame.get_by_role("button", name="Forget").count() == 0
        api.expect(frame.locator(".badge")).to_have_text("read-only")
        context.close()
