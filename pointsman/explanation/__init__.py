"""Why a question goes where it goes, and what would send it elsewhere: computed from question, configuration, decision.

Nothing of it travels with the decision: whoever wants to know computes it anew, by the same rules.
"""
