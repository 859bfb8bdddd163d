"""The weighted rules that decide the frame of a message: its kind, such as question or task.

Patterns are matched on lower-case ASCII. A rule with a negative weight objects to its frame.
"""

from __future__ import annotations

from cognitive.plan import Frame
from cognitive.preflight.rules.matching import Rule

# Frames by the cost of missing them, ascending: with equal votes, the last frame wins.
PRIORITY: tuple[Frame, ...] = ("conversation", "creative", "question", "task", "debug", "decision")

# Verbs of requests whose object needs no article ("order toner"), or that stand within a message.
_DO = (
    r"(?:build|fix|create|implement|deploy|run|execute|check|show|list|install|update|delete|move|copy|add|remove"
    r"|write|refactor|generate|configure|set up|migrate|rename|send|schedule|convert|make|upgrade|replace|test|draft"
    r"|translate|summari[sz]e|read|open|start|restart|stop|merge|commit|push|review|book|order|find|search|download"
    r"|upload|rewrite|format|clean|enable|disable|apply|change|edit|put|save|store|remember|cancel|buy|play|turn|get"
    r"|give|take|bring|bump|call|close|pay|post|print|renew|reply|refund|reset|restore|revert|roll back|rotate|share"
    r"|switch|transfer)"
)
_OBJECT = (
    r"(?:the|a|an|my|our|his|her|their|your|this|that|these|those|it|them|him|me|us|all|every|everyone|everything"
    r"|everybody|mr|mrs|ms|dr|prof|some|any|another|both|each|two|three|four|\d[\w.,]*|`[^`]+`|[a-z]+(?:'s|s')|into|onto|[#@]\w[\w-]*|[\w/-]+\.[a-z]\w{0,4})"
)
_ABOUT = r"(?:everything|all|more|anything|about|of|what|when|where|which|who|whom|whose|why|how)"
_RECALL = r"(?:do|can) you (?:know|remember|recall)"
# First words of a message that are followed by an object but ask for nothing: they are no verbs, or none of requests.
_NO_REQUEST = (
    r"(?:is|are|was|were|am|be|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must|isn't|aren't"
    r"|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|hadn't|won't|can't|(?:what|when|where|who|why|how)(?:'?s)?"
    r"|which|whose|i|we|you|he|she|it|they|and|or|but|so|if|as|because|since|once|while|until|though|although|unless"
    r"|that|than|not|no|just|only|all|both|about|above|after|against|among|around|at|before|behind|below|beside"
    r"|besides|between|by|despite|during|except|for|from|in|inside|into|like|near|of|off|on|onto|out|outside|over|per"
    r"|through|to|toward|towards|under|up|upon|via|with|within|without|this|these|those|there|here|then|also|even"
    r"|finally|yes|no|yeah|ok|okay|oh|ah|ugh|uff|argh|wow|well|hey|hi|hello|thanks|sorry|lol|haha|damn|morning|help"
    r"|let|guess|love|hate|miss|hope|think|thank|want|need|wish|\w+ing|\w*[^e\W]ed|\w+ly|met|kept|ran|came|fell|paid"
    r"|broke|wrote|drove|held|threw|got|had|saw|went|made|took|gave|found|left|said|told|bought|sold|sent|spent|lost"
    r"|won|ate|knew|felt|heard)"
)
_VERB = r"(?:[a-z]*[a-rt-z]|[a-z]*ss)"  # a word in -s is the verb of a third person
_PARTICLE = r"(?: (?:up|out|off|on|in|down|back|over|away|through))?"
_GREETED = r"^(?:\W*(?:hi|hey|hello|ok|okay|right|great|thanks|good morning)\b[^,.!?]{0,20}[,.!])?\W*"
_POLITE = r"(?:(?:please|pls|plz|kindly|now|then|so|and|also|just|go|let's|lets)\b,? )*"
# Things that fail, where "down" or "out" says so.
_SYSTEM = (
    r"(?:prod|production|staging|sites?|website|servers?|services?|apis?|apps?|db|database|vpn|wi-?fi|internet|network"
    r"|login|checkout|power|heating|mails?|[a-z]+-\d+)"
)
# What a thing does while it works.
_WORK = (
    r"(?:work|load|open|start|run|build|compile|connect|sync|arriv|show|display|respond|print|charg|boot|send|receiv"
    r"|sav|updat|finish|stop|appear|resolv|render|play|fire|turn(?:ing)? on|log(?:ging)? in|reach|find|show up|scal"
    r"|deploy|install|mount|replicat|trigger|match|register|answer|return|go(?:ing)? through|com(?:e|ing) up)"
    r"(?:e|es|s|ed|ing)?"
)


def _row(
    frame: Frame, name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...] = (),
    weight: float = 1.0,
) -> Rule:  # fmt: skip
    return Rule(f"{frame}.{name}", frame, pattern, weight, examples, counterexamples)


ROWS = (
    _row("conversation", "exclaims", r"^\W*(?:what an? [^?]*$|guess (?:what|who)\b)",
         ("what a day. I need a rest", "guess what, I won"), ("what a tuple is, please?", "what is it"), weight=2.0),
    _row("creative", "imagine", r"\bimagin(?:e|ing)\b", ("imagine a world without ads",), ("imaginary numbers",),
         weight=2.0),
    _row("creative", "brainstorm", r"\bbrainstorm(?:ing)?\b", ("let's brainstorm names",), ("brain storms",),
         weight=2.0),
    _row("creative", "what_if", r"\bwhat if\b", ("what if we sold it",), ("what is",), weight=2.0),
    _row("creative", "design", r"^\W*(?:please )?design\b|\bdesign(?:ing)? (?:a|an|some|new|me)\b",
    ("Design a logo",), ("the design doc",), weight=2.0),
    _row("creative", "ideas", r"\b(?:ideas? (?:for|on)|some ideas|come up with|invent|make up (?:a|an|some)"
         r"|(?:think of|need) (?:a|some|new)? ?names?)\b",
         ("ideas for a gift", "come up with a slogan", "I need a name for it"), ("I have no idea", "invented in 1950"),
         weight=3.0),
    _row("creative", "compose", r"\b(?:write|compose|tell)(?: me| us)? (?:a|an|some)(?: \w+)? (?:poem|story|song"
    r"|haiku|joke|tale|lyrics"
         r"|limerick|novel|slogan|tagline)\b", ("write a short poem", "tell me a joke"), ("write a test",), weight=3.0),
    _row("question", "asks", rf"(?:^|[.!?,;:\n-]\W*|{_GREETED})(?:(?:and|but|so|ok|okay|then|now|also|well)\b,? )*"
         r"(?:what|whats|how|hows|why|when|where|who|whom|whose|which)\b",
         ("what is the port", "how does it scale", "why is it slow", "when did it start", "Ok, who owns it"),
         ("the one who pays", "show me", "whatever"), weight=0.5),
    _row("question", "within", r"\b(?:what|what's|how|how's|why)\b", ("tell me how it works",), ("whatever",),
         weight=0.5),
    _row("question", "any", r"^\W*any\b", ("any alerts on the shop",), ("anybody", "many"), weight=0.5),
    _row("question", "explain", r"\b(?:explain|describe)\b", ("explain the cache",), ("explainer",), weight=2.0),
    _row("question", "tell_me", rf"{_GREETED}{_POLITE}(?:(?:tell|remind) (?:me|us) {_ABOUT}|{_RECALL})\b",
         ("tell me about Redis", "remind me who owns it"), ("told me", "remind me to call"), weight=2.0),
    _row("task", "imperative", rf"{_GREETED}{_POLITE}[a-z]+(?:-[a-z]+)?{_PARTICLE} {_OBJECT}(?:[\s,.!?;:]|$)",
         ("renew the certificates", "hi, water my plants", "Please close everything that is old"),
         ("prod is down", "how do I run it", "Redis crashed"), weight=1.5),
    _row("task", "no_imperative", rf"{_GREETED}{_POLITE}{_NO_REQUEST}{_PARTICLE} {_OBJECT}(?:[\s,.!?;:]|$)",
         ("is the door open", "like a stone", "love the idea"), ("renew the certificates", "can you"), weight=-1.5),
    _row("task", "verb", rf"(?:^|^(?:hi|hey|hello)\b[^,.!?]{{0,20}},|[.!?;:\n]|, (?:then|and)|\b(?:then|please|pls"
    rf"|let's|lets|now)\b)\W*{_DO}(?:[\s,.!?;:]|$)",
         ("Fix the tests", "Redis is up. Now run the tests", "please check the logs", "let's deploy it"),
         ("the fix works", "how do I run it", "test-driven work"), weight=0.5),
    _row("task", "request", r"\b(?:(?:can|could|would|will) (?:you|u)|help me|go ahead and)(?: please| just| also)*"
         rf" [a-z]+ (?:{_OBJECT}|\w+)|\b(?:(?:need|want|have)(?: you)? to|i'd like(?: you)? to)(?: please)? {_DO}\b",
         ("can you fix it", "I need to install Redis", "help me write a test"), ("you can run", "can you hear?")),
    _row("task", "afterthought", rf"[,;.-]\W+(?:just |please )?(?:[a-z]+ (?:it|them)(?: [a-z]+){{0,2}}|{_DO})\W*$",
         ("the disk is full, sort it out", "looks good, commit"), ("I like it", "it is broken, isn't it")),
    _row("task", "afterwards", rf"(?:[.!?;,\n-]|\bthen) (?:please |pls |just |now |then |so )*{_VERB}{_PARTICLE} "
         r"(?:it|them|him|her|that|this|these|those)(?: (?:up|out|off|on|in|down|back|over|away|through))?"
         r"(?:[\s,.!?;:]|$)", ("he has left, lock him out everywhere", "guests come on Friday, set that up for me"),
         ("I like it and use it", "it is late, so what")),
    _row("task", "object_afterwards", rf", (?:please |pls |just |now |so )*{_DO}{_PARTICLE} {_OBJECT}(?:[\s,.!?;:]|$)",
         ("we're out on Friday, book the sitter",), ("on Friday, the book",)),
    _row("task", "no_afterwards", rf"(?:[.!?;,\n-]|\bthen) (?:please |pls |just |now |then |so )*"
         rf"{_NO_REQUEST}{_PARTICLE} (?:it|them|him|her|that|this|these|those)(?:[\s,.!?;:]|$)",
         ("he fell, saw it and left", "fine, but this is late"), ("he has left, lock him out",), weight=-1.0),
    _row("task", "let_know", rf"{_GREETED}{_POLITE}let (?:[a-z]{{3,}}|(?:the|our|my|his|her|their) [a-z]+"
         r"(?: [a-z]+)?) know\b", ("let the trainer know that Jonas is ill", "let Kim know"),
         ("let me know", "I let them know")),
    _row("task", "please_within", r"[.!?;,\n] *(?:so |and |could you |can you )?(?:please|pls|plz) [a-z]+",
         ("guests come on Friday, please prepare everything", "He is on the phone. Please take care of it"),
         ("yes please", "a coffee, please"), weight=0.5),
    _row("task", "please", r"^\W*(?:please|pls|plz) [a-z]+", ("please note what I say",), ("yes please",), weight=0.5),
    _row("debug", "error", r"\b(?:errors?|exceptions?|traceback|stack ?trace|segfault|panic|exit code"
         r"|(?:key|type|value|name|index|import|syntax|runtime|attribute|assertion|reference)error)\b",
    ("it throws an error", "a TypeError", "exit code 1"), ("terror", "errorless")),
    _row("debug", "bug", r"\b(?:bugs?|buggy|debug|debugging)\b", ("there is a bug in it",), ("bugle",)),
    _row("debug", "cause", r"\b(?:find out|figure out|look into|see|check) (?:what(?:'s| is) (?:going on|wrong"
         r"|happening|up)|why)\b|\bno (?:idea|clue) why\b", ("find out what's going on", "check why it is slow"),
         ("find out what it costs",), weight=2.0),
    _row("debug", "broken", r"\b(?:broken|broke|breaks)\b", ("the login is broken",), ("brokers",)),
    _row("debug", "failing", r"\b(?:fail|fails|failed|failing|failures?)\b", ("the build is failing",), ("failover",)),
    _row("debug", "crash", r"\b(?:crash|crashes|crashed|crashing)\b", ("the app crashed",), ("crashpad",)),
    _row("debug", "wrong", r"\b(?:wrong|incorrect results?)\b", ("something is wrong",), ("wrongdoing",)),
    _row("debug", "down", r"\b(?:is|are|was|were|went|goes|been|stays?)(?: (?:still|all|now|just|again|\w+ly))?"
         r" (?:down|offline|unreachable"
         r"|unavailable|unresponsive|dead|frozen|missing|gone)\b",
         ("prod is down", "the files are missing"), ("I'm a bit down",)),
    _row("debug", "full",
         r"\b(?:disks?|drives?|volumes?|partitions?|filesystems?|inodes?|queues?|inbox|mailbox|storage|quota)"
         r"(?: (?:is|are|was|were))?(?: (?:almost|nearly|completely|at))? (?:full|exceeded|exhausted|9\d ?%|100 ?%)"
         r"(?: (?:on|again|at|now)\b|\W*$)|\bno space left\b|\bout of (?:memory|disk|inodes)\b|\boom(?:-?killed)?\b",
         ("disk full on db-2", "the queue is full", "worker out of memory"), ("my heart is full", "the disk is fast")),
    _row("debug", "status_code",
         r"\b(?:throw(?:s|ing|n)?|return(?:s|ed|ing)?|get(?:s|ting)?|give[sn]?|giving|got|seeing|serv(?:es|ing)"
         r"|spit(?:s|ting)|shows?|showing|with|respond(?:s|ing) with) (?:an? |me |us |lots of |many |only |constant )*"
         r"(?:http )?[45]\d\d(?:'?s\b|(?: errors?)?(?:\W*$|[.,;!?]| (?:on|from|when|since|again|after)\b))"
         r"|\b[45]\d\ds (?:on|from|in|at|since|everywhere|again)\b",
         ("site is throwing 500s", "checkout returns 502", "500s on checkout"), ("I got 400 euros", "500 users on it")),
    _row("debug", "refused",
         r"\b(?:connection|permission|access) (?:refused|denied|reset)\b|\b(?:cannot|unable to|can not) "
         r"(?:connect|log ?in|reach|load|open|start|access)\b|\bkeeps? (?:\w+ly )?(?:restarting|rebooting|failing"
         r"|disconnecting|logging me out|dropping|freezing|flapping)\b|\b(?:piling|backing) up\b",
         ("permission denied on /var/log", "nginx keeps restarting", "cannot connect to redis"),
         ("permission to leave", "she keeps smiling")),
    _row("debug", "short",
         r"^\W*(?:(?:the|our|my) )?(?:[\w.-]+(?: [\w.-]+)? (?:offline|unreachable|unresponsive|expired|jammed"
         rf"|leaking|flapping|blank)|{_SYSTEM}(?: [\w.-]+)? (?:is |are )?(?:down|out))"
         r"(?: (?:again|on|in|at|since|for)\b.*)?\W*$"
         r"|\b(?:is|are)(?: \w+)? (?:leaking|jammed|expired|out again|unstable|flapping)\b"
         r"|\b(?:high|100 ?%) (?:cpu|memory|load|latency|error rate) (?:on|for|in)\b"
         r"|\b(?:lag|latency|load|error rate)\b.{0,30} (?:spiked|is (?:up|at|over|above|\d))",
         ("prod down", "wifi is out again", "printer jammed", "certificate expired on edge-1", "high cpu on worker-3"),
         ("sit down", "we are out of milk", "I went out on Friday", "I am out")),
    _row("debug", "slow", r"\b(?:is|are|was|were|got|gets|getting|so|too|very|super|really|extremely) slow\b",
         ("the site is slow",), ("slow food",)),
    _row("debug", "nothing", r"\b(?:shows?|returns?|prints?|does|displays?) (?:nothing|blank|no (?:data|output))\b"
         r"|\bnothing (?:happens|shows|loads|works)\b", ("the page shows nothing",), ("nothing new",)),
    _row("debug", "not_working", rf"\b(?:not|isn't|aren't|wasn't|doesn't|don't|didn't|won't|can't|couldn't"
         rf"|stopped|refuses to|no longer)(?: \w+ly| even)? {_WORK}\b"
         r"|\b(?:times? out|timed out|timeouts?|hangs|hanging|stuck|unexpected(?:ly)?)\b",
         ("it doesn't work", "the server won't start", "requests time out", "mails aren't arriving"), ("out of time",)),
    _row("decision", "should", r"\bshould (?:we|i|they|you|one|it be)\b|\b(?:we|i) should\b|\bshall (?:we|i)\b",
    ("should we shard",), ("the test should pass",)),
    _row("decision", "choose", r"\b(?:choos(?:e|es|ing)|chose|chosen|choices?)\b", ("help me choose",), ("choosy",)),
    _row("decision", "decide", r"\b(?:we|i|you|they|he|she|to|us|me|must|can't|let's|now|and|please)(?: \w+)? "
         r"decid(?:e|ed|ing)\b|^\W*(?:un)?decid(?:e|ed|ing)\b|\bundecided\b|\bdecisions?\b",
    ("we need to decide", "what did we decide", "all decisions"), ("decimal", "how does the router decide")),
    _row("decision", "compare", r"\b(?:compar(?:e|ed|ing|isons?)|versus|vs)\b",
    ("compare the two plans",), ("comparator",), weight=2.0),
    _row("decision", "trade_off", r"\b(?:trade-?offs?|pros and cons|upsides and downsides|torn between|speaks? (?:for"
         r"|against))\b", ("the trade-offs of it", "I'm torn between two"), ("trade offers",), weight=2.0),
    _row("decision", "better", r"\b(?:which (?:one |option |of these )?(?:is|would be) (?:better|best)|better(?: to "
    r"use)?[,:] |is it better|or should|recommend(?:ation)?|rather use|worth \w+ing|worth it)\b",
         ("which is better for us", "is it better to wait", "what do you recommend"), ("it got better",)),
    _row("decision", "either_or", r"^\W*(?:\w[\w.+#'-]*\W+){1,3}or (?:just )?\w[^.?!]*\?"
         r"|\b(?:do|should|shall|can|could) (?:we|i)\b[^.?!]* or (?:just |rather |maybe )?[a-z]+ (?:\w|$)",
         ("SQL or NoSQL for the API?", "tabs or spaces?", "do we wait or roll it back?"),
         ("one of it or more.", "can you or Tom come"), weight=1.5),
    _row("decision", "no_choice", r"^\W*(?:is|are|was|were|does|did|has|have|will|can|could|do) (?:it|you|they|he"
         r"|she|there|that|this)(?: \w+)? or ",
         ("is it up or down since the deploy?",), ("tabs or spaces?",), weight=-1.5),
)  # fmt: skip

# Phrases that contain a word of a rule in another meaning; they are removed before the rules are matched.
NEUTRAL = (
    Rule("neutral.debug", "debug", r"\b(?:error (?:rates?|budgets?|bars?|margins?|codes?|handling|handlers?"
    r"|messages?)|margin of error"
         r"|trial and error|(?:standard|mean|rounding) errors?|bug (?:bount(?:y|ies)|trackers?|reports?)|crash course"
         r"|(?:wrong|broken) (?:number|english|window|channel|chat|thread|tab)"
         r"|failure (?:rates?|modes?|domains?)|timeout (?:value|setting)s?|fail(?:s|ed)? fast|what(?:'s| is) wrong "
         r"with you)\b",
         examples=("what is the error rate of the API", "the bug tracker"), counterexamples=("an error occurred",)),
    Rule("neutral.decision", "decision", r"\bor (?:not|so|something|anything|whatever|similar|later|less|more)\b",
         examples=("do we ship it or not?",), counterexamples=("tea or coffee?",)),
)  # fmt: skip
