"""Do two answers to one question say the same? Pure rules: no clock, no chance, no I/O.

    comparison = compare("It costs $1,200.", "1200 dollars", question="How much is it?")
    comparison.verdict, comparison.differences
    partition = partition_of([first, second, third], question="How much is it?").classes

`detector` decides by the kind of question; `jaccard` is the source document's rule; `equivalence` serves a vote.
"""
