"""The site: built without warnings, every name in it, every link and picture there."""

import html.parser
import pathlib
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import pytest

import sklazy

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without its gallery run: that is done by the tests of the examples."""
    pytest.importorskip("sphinx_gallery", reason="needs the extra sklazy[docs]")
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
    assert listed == set(sklazy.__all__) - {"__version__"}
