"""Questions about students' own code: drawn from their passing answers, and marked.

Lehtinen, Santos & Sorva (2021), "Let's Ask Students About Their Programs, Automatically", call them
questions about learners' code.
"""
