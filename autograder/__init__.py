"""The instructors' and authors' tool: release, try, grade and report. Students never get it."""

import sys

# nbformat imports jsonschema, which compiles a grammar of internationalized web addresses (IRIs) as
# it is imported: two seconds. No notebook schema has an IRI, and without it jsonschema skips the check.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # not importable
