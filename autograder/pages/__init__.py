"""Feedback pages, rendered text and formulas, and the templates of all HTML pages.

`feedback` writes a class's pages, `feedback_page` makes one, `markup` and `formulas` render text,
`templating` has what all our HTML pages share.
"""
