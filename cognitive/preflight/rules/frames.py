"""The weighted rules that decide the frame of a message: its kind, such as question or task.

Patterns are matched on lower-case ASCII.
"""

from __future__ import annotations

from cognitive.plan import Frame
from cognitive.preflight.rules.matching import Rule

# Frames by the cost of missing them, ascending: with equal votes, the last frame wins.
PRIORITY: tuple[Frame, ...] = ("conversation", "creative", "question", "task", "debug", "decision")

_DO = (
    r"(?:build|fix|create|implement|deploy|run|execute|check|show|list|install|update|delete|move|copy|add|remove"
    r"|write|refactor"
    r"|generate|configure|set up|migrate|rename|send|schedule|convert|make|upgrade|replace|test|draft|translate"
    r"|summari[sz]e|read"
    r"|open|start|restart|stop|merge|commit|push|review|book|order|find|search|download|upload|rewrite|format|clean"
    r"|enable|disable"
    r"|apply|change|edit|put|save|store|remember|remind|cancel|buy|play|turn)"
)


def _row(
    frame: Frame, name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...] = (),
    weight: float = 1.0,
) -> Rule:  # fmt: skip
    return Rule(f"{frame}.{name}", frame, pattern, weight, examples, counterexamples)


ROWS = (
    _row("conversation", "hello", r"\b(?:hello|hi|hey|good (?:morning|evening|afternoon))\b",
    ("hello my friend",), ("hiking",)),
    _row("conversation", "thanks", r"\bthank(?:s| you)\b", ("thanks for the flowers",), ("thankless",)),
    _row("conversation", "how_are_you", r"\bhow(?: are|'re) you\b",
    ("how are you feeling about the move",), ("how are yours",)),
    _row("conversation", "feeling",
    r"\bi(?:'m| am| feel| felt)(?: (?:so|very|really|a bit))? (?:happy|sad|tired|excited|glad|sorry|proud"
         r"|worried|nervous|lonely|bored|stressed|sick)\b", ("I am so tired", "I felt proud"), ("I am the owner",)),
    _row("creative", "imagine", r"\bimagin(?:e|ing)\b", ("imagine a world without ads",), ("imaginary numbers",)),
    _row("creative", "brainstorm", r"\bbrainstorm(?:ing)?\b", ("let's brainstorm names",), ("brain storms",)),
    _row("creative", "what_if", r"\bwhat if\b", ("what if we sold it",), ("what is",), weight=2.0),
    _row("creative", "design", r"^\W*(?:please )?design\b|\bdesign(?:ing)? (?:a|an|some|new|me)\b",
    ("Design a logo",), ("the design doc",)),
    _row("creative", "explore", r"\bexplor(?:e|ing)\b", ("explore new markets",), ("internet explorer",)),
    _row("creative", "ideas", r"\b(?:ideas? (?:for|on)|some ideas|come up with|invent|think of (?:a|some|new|names))\b",
         ("ideas for a gift", "come up with a slogan"), ("I have no idea", "invented in 1950")),
    _row("creative", "compose", r"\b(?:write|compose|tell)(?: me| us)? (?:a|an|some)(?: \w+)? (?:poem|story|song"
    r"|haiku|joke|tale|lyrics"
         r"|limerick|novel|slogan|tagline)\b", ("write a short poem", "tell me a joke"), ("write a test",), weight=2.0),
    _row("question", "what", r"\b(?:what|whats|what's)\b", ("what is the port",), ("whatever",)),
    _row("question", "how", r"\b(?:how|how's)\b", ("how does it scale",), ("show me",)),
    _row("question", "why", r"\bwhy\b", ("why is it slow",), ("whys",)),
    _row("question", "which", r"^\W*(?:when|where|who|whom|whose|which)\b|[.!?,] (?:when|where|who|which)\b",
         ("when did it start", "Ok, who owns it"), ("the one who pays",)),
    _row("question", "explain", r"\b(?:explain|describe)\b", ("explain the cache",), ("explainer",)),
    _row("question", "tell_me", r"\b(?:tell|remind) (?:me|us)\b|\bdo you (?:know|remember|recall)\b",
    ("tell me about Redis",), ("told me",)),
    _row("task", "imperative", rf"(?:^|^(?:hi|hey|hello)\b[^,.!?]{{0,20}},|[.!?;:\n]|, (?:then|and)|\b(?:then|please"
    rf"|let's|lets|now)\b)\W*{_DO}(?:[\s,.!?;:]|$)",
         ("Fix the tests", "Redis is up. Now run the tests", "please check the logs", "let's deploy it"),
         ("the fix works", "how do I run it", "test-driven work")),
    _row("task", "request", rf"\b(?:(?:can|could|would|will) you|help me|(?:need|want|have)(?: you)? to|i'd like(?: "
    rf"you)? to|go ahead and)"
         rf"(?: please)? {_DO}\b", ("can you fix it", "I need to install Redis",
         "help me write a test"), ("you can run",)),
    _row("task", "more", rf"\b(?:and|then) {_DO} (?:it|them|that|the|a|all)\b",
    ("build and deploy the app",), ("bread and butter",), weight=0.5),
    _row("debug", "error", r"\b(?:errors?|exceptions?|traceback|stack ?trace|segfault|panic)\b",
    ("it throws an error",), ("terror",)),
    _row("debug", "bug", r"\b(?:bugs?|buggy|debug|debugging)\b", ("there is a bug in it",), ("bugle",)),
    _row("debug", "broken", r"\b(?:broken|broke|breaks)\b", ("the login is broken",), ("brokers",)),
    _row("debug", "failing", r"\b(?:fail|fails|failed|failing|failures?)\b", ("the build is failing",), ("failover",)),
    _row("debug", "crash", r"\b(?:crash|crashes|crashed|crashing)\b", ("the app crashed",), ("crashpad",)),
    _row("debug", "wrong", r"\b(?:wrong|incorrect results?)\b", ("something is wrong",), ("wrongdoing",)),
    _row("debug", "not_working", r"\b(?:(?:not|isn't|doesn't|don't|didn't|stopped) (?:work|works|working)|won't "
    r"(?:start|run|build|compile"
         r"|connect)|times? out|timed out|timeouts?|hangs|hanging|stuck|unexpected(?:ly)?)\b",
         ("it doesn't work", "the server won't start", "requests time out"), ("out of time",)),
    _row("decision", "should", r"\bshould (?:we|i|they|you|one|it be)\b|\b(?:we|i) should\b",
    ("should we shard",), ("the test should pass",)),
    _row("decision", "choose", r"\b(?:choos(?:e|es|ing)|chose|chosen|choices?)\b", ("help me choose",), ("choosy",)),
    _row("decision", "decide", r"\b(?:decid(?:e|es|ed|ing)|decisions?)\b", ("we need to decide",), ("decimal",)),
    _row("decision", "compare", r"\b(?:compar(?:e|ed|ing|isons?)|versus|vs)\b",
    ("compare the two plans",), ("comparator",)),
    _row("decision", "trade_off", r"\b(?:trade-?offs?|pros and cons|upsides and downsides)\b",
    ("the trade-offs of it",), ("trade offers",)),
    _row("decision", "better", r"\b(?:which (?:one |option |of these )?(?:is|would be) (?:better|best)|better(?: to "
    r"use)?[,:] |is it better|or should"
         r"|recommend(?:ation)?|rather use|worth (?:it|switching|moving))\b",
         ("which is better for us", "is it better to wait", "what do you recommend"), ("it got better",)),
    _row("decision", "either_or", r"^(?:\W*\w+){1,3} or \w+(?: for [^?]{1,40})?\?", ("SQL or NoSQL for the API?",
    "tabs or spaces?"),
         ("is it up or down since the deploy of last night?",)),
)  # fmt: skip

# Phrases that contain a word of a rule in another meaning; they are removed before the rules are matched.
NEUTRAL = (
    Rule("neutral.debug", "debug", r"\b(?:error (?:rates?|budgets?|bars?|margins?|codes?|handling|handlers?"
    r"|messages?)|margin of error"
         r"|trial and error|(?:standard|mean|rounding) errors?|bug (?:bount(?:y|ies)|trackers?|reports?)|crash course"
         r"|(?:wrong|broken) (?:number|english)"
         r"|failure (?:rates?|modes?|domains?)|timeout (?:value|setting)s?|fail(?:s|ed)? fast|what(?:'s| is) wrong "
         r"with you)\b",
         examples=("what is the error rate of the API", "the bug tracker"), counterexamples=("an error occurred",)),
    Rule("neutral.conversation", "conversation", r"\bhi[- ](?:res|fi)\b|\bhello,? world\b",
         examples=("a hello world program",), counterexamples=("hello there",)),
)  # fmt: skip
