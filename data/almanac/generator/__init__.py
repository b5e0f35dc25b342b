"""The generator of the almanac: tables of facts, sentence frames, and the grammar that fills them."""
