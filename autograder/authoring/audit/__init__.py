"""Mutation testing of the checks: does every single edit of a reference lose points?

Read `one_place_edits` (places in a reference's text), the operators (`python_operators`, `call_operators`,
`tensor_operators`, `module_operators`), `mutants` (applies them all), `observed_values` (values that
the reference's expressions take), `judge` (runs mutants), `results` (cache and statuses), `run`
(processes) and `report`.
"""
