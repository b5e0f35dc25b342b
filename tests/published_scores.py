"""Scores that others have published, which our functions must give."""

#: Exact match and F1, in percent, of the stored answers of two systems to SQuAD's development questions.
SQUAD = {"bert-ensemble": (86.206, 92.196), "logistic-baseline": (40.142, 50.982)}
