"""What people read: feedback pages, rendered text and formulas, the templates of all pages.

`feedback` writes a class's pages, `feedback_page` makes one, `markup` and `formulas` render text,
`templating` has what all our HTML pages share.
"""
