"""Mutation testing of the checks: every single edit of a reference should lose points.

Read `one_place_edits` (places in a reference's text), the operators (`python_operators`, `call_operators`,
`tensor_operators`, `module_operators`), `mutants` (applies them all), `observed_values` (values that
the reference's expressions take), `judge_mutants` (runs them), `audit_results` (cache and statuses),
`audit_processes` and `audit_report`.
"""
