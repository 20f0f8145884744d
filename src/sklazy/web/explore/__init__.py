"""The explorer: cases, receipts and what-if in a browser.

`asking` answers the requests of the pages in ``static`` with plain data; `app` defines
the routes, and `opening` serves them.
"""
