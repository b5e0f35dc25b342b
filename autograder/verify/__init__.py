"""Verification of assignments: named rules, each with a sentence, thresholds and stored results.

Read `rules` (a rule, and an assignment under verification) and `verify` (runs them) first. The rules are
in a module per family: `source_rules`, `case_rules`, `answer_rules`, `page_rules`, `guide_rules`,
`notebook_rules`. `measurements` holds what takes minutes and is kept in the assignment's `verified.json`.
"""
