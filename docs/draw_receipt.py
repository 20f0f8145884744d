"""Draw docs/home_receipt.png: `python docs/draw_receipt.py`, with playwright."""

import importlib.resources
import pathlib
import shutil

import pandas as pd
from playwright.sync_api import sync_playwright

import sklazy

FILES = importlib.resources.files("sklazy") / "examples"
PICTURE = pathlib.Path(__file__).parent / "home_receipt.png"


def make_page() -> str:
    """The receipt of the first new flat."""
    flats = pd.read_csv(FILES / "flats.csv")
    new = pd.read_csv(FILES / "new-flats.csv").set_index("flat")
    model = sklazy.LazyRegressor().fit(flats, "rent", ids="flat")
    return model.explain(new[:1])[0].to_html()


def draw(page: str) -> None:
    """Photograph a page down to its first table."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        view = browser.new_page(
            viewport={"width": 720, "height": 900}, device_scale_factor=2
        )
        view.set_content(page)
        end = view.locator("table").first.bounding_box()
        height = end["y"] + end["height"] + 1
        clip = {"x": 0, "y": 0, "width": 720, "height": height}
        view.screenshot(path=PICTURE, clip=clip)
        browser.close()


if __name__ == "__main__":
    draw(make_page())
