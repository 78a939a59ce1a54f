"""Questions whose answers can be marked: a case, the checks that its answer has to stand, and the marks it gets.

    marks = mark(Case(id="sum", prompt="What is 2 + 3?", checks=(Number(value=5),)), completion)
    marks.outcome    # "passed"

Evaluation suites and the benchmark are made of such cases.
"""
