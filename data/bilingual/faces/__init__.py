"""A grammar with two faces: every sentence is built once, and said in English and in French."""
