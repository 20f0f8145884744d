"""The site: built without warnings, every name in it, every page as it should look."""

import contextlib
import functools
import html.parser
import http.server
import pathlib
import shutil
import subprocess
import sys
import threading
from urllib.parse import unquote, urlsplit

import pytest

import sklazy

ROOT = pathlib.Path(__file__).parent.parent
WIDTHS = (1400, 400)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without its gallery run: that is done by the tests of the examples."""
    pytest.importorskip("sphinx_gallery", reason="needs the dependency group docs")
    folder = tmp_path_factory.mktemp("site")
    (folder / "examples").symlink_to(ROOT / "examples")
    _copy_sources(folder)
    built = folder / "html"
    options = ["-W", "--keep-going", "-q", "-D", "plot_gallery=0", "-b", "html"]
    places = [str(folder / "docs"), str(built)]
    command = [sys.executable, "-m", "sphinx", *options, *places]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return built


def _copy_sources(folder):
    """The sources alone: what was built beside them stays where it is."""
    for path in (ROOT / "docs").rglob("*"):
        place = folder / path.relative_to(ROOT)
        made = {"_build", "api", "gallery", "__pycache__"}
        if path.is_file() and not made & set(path.relative_to(ROOT).parts):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())


class Links(html.parser.HTMLParser):
    """What a page points at, and what can be pointed at."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        self.links += [found[name] for name in ("href", "src") if found.get(name)]


def pages_of(site):
    """Pages, without the theme's templates."""
    return [path for path in site.rglob("*.html") if "_static" not in path.parts]


def test_every_link_and_picture_is_there(site):
    pages = {path: Links(path.read_text("utf-8")) for path in pages_of(site)}
    broken = []
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("#"):
                continue
            target = (page.parent / unquote(parts.path)).resolve()
            known = pages.get(target)
            lost = (
                known is not None and parts.fragment and parts.fragment not in known.ids
            )
            if not target.exists() or lost:
                broken.append(f"{page.relative_to(site)}: {link}")
    assert len(pages) > 80
    assert not broken


def test_nothing_is_fetched_from_elsewhere(site):
    """Pages work offline: scripts, styles and pictures are their own."""
    outside = [
        f"{path.name}: {line.strip()[:90]}"
        for path in pages_of(site)
        for line in path.read_text("utf-8").splitlines()
        if ("<script" in line or "<img" in line or "stylesheet" in line)
        and ('src="http' in line or 'rel="stylesheet" href="http' in line)
    ]
    assert not outside


def test_every_public_name_is_in_the_reference(site):
    listed = {
        path.stem.removeprefix("sklazy.") for path in (site / "api").glob("*.html")
    }
    errors = {f"errors.{name}" for name in sklazy.errors.__all__}
    others = {"__version__", "errors", "LazyBlendClassifier", "LazyBlendRegressor"}
    assert listed == set(sklazy.__all__) - others | errors


# --- in a browser ---------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word, and lets the browser keep them."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


@contextlib.contextmanager
def serve(folder):
    """The address of a folder on this machine."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def failure(request):
    """A request that failed, unless the next page was opened before its answer."""
    aborted = request.failure == "net::ERR_ABORTED"
    return [] if aborted else [f"failed: {request.url}"]


def complaint(message):
    """What a page says on the console, if it is an error."""
    return [f"console: {message.text}"] if message.type == "error" else []


@pytest.fixture(scope="module")
def opened(site):
    """A page of a browser, the site's address, and the list of complaints."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    said = []
    with api.sync_playwright() as playwright, serve(site) as home:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda one: said.extend(complaint(one)))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("requestfailed", lambda one: said.extend(failure(one)))
        page.on(
            "response",
            lambda one: one.status < 400 or said.append(f"lost: {one.url}"),
        )
        ours = (home, "data:", "blob:")
        page.on(
            "request",
            lambda one: one.url.startswith(ours) or said.append(f"asked: {one.url}"),
        )
        yield page, home, said
        browser.close()


# Pictures that wait until they are in view are asked for, too.
BROKEN_PICTURES = """async () => {
  const broken = async picture => {
    picture.loading = "eager";
    try { await picture.decode(); return null; }
    catch { return "picture: " + picture.src; }
  };
  return (await Promise.all([...document.images].map(broken))).filter(Boolean);
}"""
WIDER_THAN_THE_SCREEN = """() =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth"""


def test_pages_in_a_browser(site, opened):
    """Of the reference every fourth; `make slow` opens all of it."""
    every = sorted(pages_of(site))
    named = [path for path in every if path.parent.name == "api"]
    check_pages(site, opened, sorted({*every} - {*named} | {*named[::4]}))


@pytest.mark.slow
def test_every_page_in_a_browser(site, opened):
    check_pages(site, opened, sorted(pages_of(site)))


def check_pages(site, opened, paths):
    """Nothing is missing, refused, complained of or wider than the screen."""
    page, home, said = opened
    faults = []
    for path in paths:
        name = path.relative_to(site).as_posix()
        page.goto(f"{home}/{name}")
        faults += [f"{name}: {one}" for one in page.evaluate(BROKEN_PICTURES)]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            extra = page.evaluate(WIDER_THAN_THE_SCREEN)
            faults += [f"{name}: {extra} pixels too wide at {width}"] * (extra > 0)
        faults += [f"{name}: {one}" for one in said]
        said.clear()
    assert not faults, "\n".join(faults)


def test_search_finds_pages(opened):
    page, home, said = opened
    page.goto(f"{home}/search.html?q=receipt")
    page.wait_for_selector("#search-results li a")
    links = page.eval_on_selector_all("#search-results li a", "all => all.length")
    assert links > 3
    assert not said
