"""Labelled sentences for `ExemplarClassifier`, which no rule of their category matches.

Sentences under `None` belong to no category: without them, every message would be near to some category. "casual" and
"complex" are not guessed: a wrong "casual" would remove every tool, and a message without a category keeps all tools
like a "complex" one.
"""

from __future__ import annotations

from collections.abc import Mapping

EXEMPLARS: Mapping[str | None, tuple[str, ...]] = {
    "research": (
        "I need background on the Hanseatic League", "get me the figures for inflation in Turkey",
        "hotels near the old town of Tallinn under 100 euro", "the rules of curling", "train connections to Prague",
        "facts about octopuses", "a beginner's guide to composting", "cheap flights to Lisbon in May",
        "the symptoms of a concussion", "recent discoveries in archaeology",
    ),
    "coding": (
        "the loop never ends when the list is empty", "it throws when I pass None", "make the constructor private",
        "extract this into its own helper", "the linter complains about line seven", "the container exits at once",
        "set up continuous integration for the project", "why does the page render twice",
        "cache the result of the lookup", "the types do not match after the upgrade",
    ),
    "crypto": (
        "cash out half of my position", "which exchange has the smallest spread", "my transaction is stuck",
        "what is the market cap of that coin", "move my holdings to a hardware device", "sign the transaction",
        "how volatile was the market this week", "is this contract a scam", "rebalance my holdings",
    ),
    "media": (
        "turn this melody into sheet music", "make the colours warmer and add some grain", "put a hat on the dog",
        "make a poster for the concert", "dub it in Italian", "blur the faces in it", "cut the first ten seconds",
        "design a flyer with balloons", "make the narrator sound older",
    ),
    "monitoring": (
        "is everything still up", "how busy is the machine", "are we running out of room", "which job is stuck",
        "did anything fail overnight", "how warm is the rack", "is the queue backed up", "what is slowing it down",
        "has the certificate expired",
    ),
    "memory": (
        "the restaurant with the green door, the one I loved", "my usual order", "what I always forget at the store",
        "the name of my doctor", "the colour we painted the hall", "my shoe size", "the book I could not finish",
        "the plan we made for the garden", "the reason I quit my job",
    ),
    None: (
        "I am going for a walk", "set a timer for ten minutes", "book a table for four", "the soup was too salty",
        "call my mother", "I feel much better now", "put the kettle on", "translate this sentence into French",
        "write a limerick about a goat", "tell me a bedtime story", "move the meeting to Tuesday", "order a pizza",
        "turn the lights off", "my cat sleeps all day", "add eggs to the shopping list", "she moved to another town",
        "pay the invoice", "reply that I will be late", "make the text shorter", "the bus was late again",
    ),
}  # fmt: skip
