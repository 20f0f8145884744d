"""The tokens of one line of an ARFF file, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sklazy.errors import BadFileError
from sklazy.tables.text import TextFile, shown

_TOKEN = re.compile(
    r"""[ \t]*
    (?: '(?P<single>(?:[^'\\]|\\.)*)'
      | "(?P<double>(?:[^"\\]|\\.)*)"
      | (?P<bare>[^\s,{}%'"]+)
    )[ \t]*""",
    re.VERBOSE,
)
_BLANKS = re.compile(r"[ \t]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_SURROGATE = re.compile(r"u[dD][89A-Fa-f]..")  # half a character
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class Token(NamedTuple):
    """A value as it stands in a line.

    `column` is where it starts (from 1) and `end` the index behind it and its blanks.
    """

    value: str
    is_quoted: bool
    column: int
    end: int

    @property
    def cell(self) -> str | None:
        """The value, or None for an unquoted question mark."""
        return None if self.value == "?" and not self.is_quoted else self.value


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    source: TextFile
    number: int
    text: str

    def error(self, message: str, index: int = 0) -> BadFileError:
        """The error for a place of the line, given as an index from 0."""
        return self.source.error(message, self.number, index + 1)

    def token(self, start: int) -> tuple[Token, int]:
        """The value that starts here, and the index behind it."""
        match = _TOKEN.match(self.text, start)
        if match is None:
            raise self._no_token(start)
        name = match.lastgroup or "bare"
        value = match[name]
        if name != "bare" and "\\" in value:
            value = self._unescaped(value, match.start(name))
        column = match.start(name) + (name == "bare")
        return Token(value, name != "bare", column, match.end()), match.end()

    def tokens(self, start: int = 0, closing: str = "") -> Iterator[Token]:
        """All values from here to the end of the line, or to the closing brace.

        They are separated by commas; a row without any comma by blanks.
        """
        by_blanks = not closing and "," not in self.text
        while True:
            token, start = self.token(start)
            yield token
            following = self.text[start : start + 1]
            if following == closing or (not closing and following == "%"):
                return
            if following == ",":
                start += 1
            elif not (by_blanks and self.text[start - 1] in " \t"):
                raise self._not_separated(start, closing)

    def skip_token(self, start: int) -> int:
        """The index behind the value that starts here, if there is one."""
        match = _TOKEN.match(self.text, start)
        return match.end() if match else start

    def after_blanks(self, start: int) -> str:
        """The next character that is not a blank, or nothing."""
        match = _BLANKS.match(self.text, start)
        end = match.end() if match else start
        return self.text[end : end + 1]

    def expect_end(self, start: int, what: str = "") -> None:
        """Refuse anything but a comment from here on."""
        if self.after_blanks(start) in ("", "%"):
            return
        reason = f" ({what} are not supported)" if what else ""
        raise self.error(
            f"expected the end of the line, found {shown(self.text[start:])}{reason}.",
            start,
        )

    def _unescaped(self, value: str, start: int) -> str:
        def plain(match: re.Match[str]) -> str:
            code = match[1]
            is_unicode = len(code) > 1
            if is_unicode and not _SURROGATE.fullmatch(code):
                return chr(int(code[1:], 16))
            if is_unicode or code.isdigit():
                raise self.error(
                    f"the escape \\{code} is not supported.", start + match.start()
                )
            return _ESCAPED.get(code, code)

        return _ESCAPE.sub(plain, value)

    def _no_token(self, start: int) -> BadFileError:
        following = self.after_blanks(start)
        if following in ("'", '"') and following:
            return self.error(f"the quote {following} is never closed.", start)
        if following == "{":
            return self.error(
                "unexpected {: instance weights are not supported, and a value with a "
                "brace must be quoted.",
                start,
            )
        seen = "the end of the line" if following in ("", "%") else repr(following)
        return self.error(
            f"expected a value, found {seen}; a missing one is written ?.", start
        )

    def _not_separated(self, start: int, closing: str) -> BadFileError:
        if start >= len(self.text):
            return self.error(f"expected {closing} before the end of the line.", start)
        return self.error(
            f"expected a comma before {shown(self.text[start:])}; a value with blanks, "
            "quotes or braces must be quoted.",
            start,
        )
