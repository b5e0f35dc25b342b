"""Import this before nbformat to save two seconds of processor time in a program's start.

nbformat imports jsonschema, which compiles a grammar of internationalized web addresses (IRIs) as
it is imported. No notebook schema has an IRI; without the grammar, jsonschema skips that check.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
