"""The Content-Security-Policy of formgrader's pages, in case notebook cleaning misses something.

Jupyter's own setting would hold for all pages of the server, JupyterLab's too, and is read from no
course's folder. Its handlers may have a policy each; nbgrader's have the server's.
"""

from __future__ import annotations

import sys
from typing import Any

#: nbgrader loads MathJax from here; its pages have scripts of their own between the tags.
_MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/"
POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' 'unsafe-inline' 'unsafe-eval' {_MATHJAX}",
        f"style-src 'self' 'unsafe-inline' {_MATHJAX}",
        f"font-src 'self' data: {_MATHJAX}",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)
_HANDLERS = "nbgrader.server_extensions.formgrader.base"


def restrict_formgrader() -> None:
    """Send the policy with formgrader's pages, besides the server's, if this process serves them."""
    served = sys.modules.get(_HANDLERS)
    if served is None:
        return

    def content_security_policy(self: Any) -> str:
        return f"{super(served.BaseHandler, self).content_security_policy}, {POLICY}"

    served.BaseHandler.content_security_policy = property(content_security_policy)
