"""What a scoring policy would have cost and brought on questions whose outcomes are known: `pointsman tune`.

    outcomes = read(Path("outcomes.jsonl"), allow_gaps=False)
    report = tuned(outcomes, Settings())
    report.recommendation

Every choice is Pointsman's own decision; what a provider is worth is learned from other questions than those that it
is judged by. `docs/tuning.md` has the form of the files.
"""
