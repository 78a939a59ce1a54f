"""A question's way, told from its workflow's history alone.

    facts = await read_facts(events, client.data_converter)    # pointsman.story.history
    story = Story.of("q-1", facts, now=datetime.now(UTC))
    print(story_text(story))

Only `pointsman.story.history` knows Temporal; a story is made of facts, which are plain values.
"""
