"""From a solution notebook to what students get: recordings, student notebook, and their proofs.

Start with `release`, the command that builds everything; `stamp` fills in the notebook's metadata
and `proofs` holds what a release must prove. Then `new_assignment` (a first assignment that
already releases), `try_answer` (judge one file) and `bundle` (pack the handout).
"""
