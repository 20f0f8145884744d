"""The explorer: cases, receipts and what-if in a browser.

`asking` answers what the pages in ``static`` ask, as plain data; `app` gives it
addresses, and `opening` serves it.
"""
