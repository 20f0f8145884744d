"""Pages that run nothing, whatever the names and labels in them."""

import html.parser
import re


class Page(html.parser.HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = set(), [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


OURS = {
    *("html", "head", "body", "meta", "title", "style", "main", "article", "div"),
    *("h1", "h2", "p", "span", "i", "a", "bdi", "code", "small"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("figure", "figcaption", "svg", "polyline", "circle", "text"),
}
STYLE = re.compile(
    r"((left|width):[0-9.]+%?;?)+"
    r"|((fill|stroke|stroke-width|stroke-dasharray|font-size):"
    r"(none|var\(--[a-z]+, #[0-9a-f]{6}\)|[0-9. ]+(px)?);?)+"
)


def check_harmless(text):
    """No tag, attribute or address that our templates do not have themselves."""
    page = Page(text)
    assert page.tags <= OURS
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "srcset", "action"}
        assert name != "href" or value.startswith("#receipt-")
        assert name != "style" or STYLE.fullmatch(value)
    assert "@import" not in text
    assert "url(" not in text
    text.encode("utf-8")
    return page
