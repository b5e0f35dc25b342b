"""What an instructor or author runs: release, try, grade and report. Students never get it."""

import sys

# nbformat needs jsonschema, which compiles a grammar of internationalized web addresses at import,
# for two seconds, in every process; no notebook's schema has any, and it goes without.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
