"""Rules for the signals of a message: question, recency, hints of memory types, and entities.

Patterns are matched on lower-case ASCII (see `matching.fold`), those of entities on the original text. The weight of a
rule is the strength of its signal; the weights of hints of one memory type are added.
"""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

QUESTION, RECENCY = "question", "recency"
HINTS = ("decision", "fact", "procedure", "episode")

_WE = r"(?:we|i|you|they|us)"

RULES = (
    Rule(
        "question.mark", QUESTION, r"""\?[)"'*\]]*(?:\s|$|[?!.])""",
        examples=("the schema is final?", "Redis?!", '"is it done?"', "Was macht der Bot?"),
        counterexamples=("see https://x.org/?q=1 for more", "Redis is fast."),
    ),
    Rule(
        "question.starter", QUESTION,
        r"^\W*(?:so |and |but |then |also |ok |okay |now |well )?,? ?"
        r"(?:what|where|when|why|how|who|whom|whose|which|can|should|is|are|do|does|did|will|would|could|has|have|had"
        r"|was|were|might|may i|may we|shall|am i|isn't|aren't|don't|doesn't|didn't|won't|can't|couldn't|wouldn't"
        r"|shouldn't|what's|who's|where's|how's|when's|why's|whats|hows|wheres|whos)\b",
        examples=("what did I decide", "Might we switch to Redis", "has the build passed", "Which database",
        "hows the deploy going"),
        counterexamples=("whatever you think of Redis", "The canary is up", "island tours were cheap",
        "Dodo birds are extinct"),
    ),
    Rule(
        "question.within", QUESTION, r"[.!?\n] *(?:what|where|when|why|how|who|which)(?:'s)?\b",
        examples=("The build broke. What did we change", "Redis is slow\nhow do we tune it"),
        counterexamples=("The build broke. Whatever.", "Fixed it. However long it took."),
    ),
    Rule(
        "question.request", QUESTION,
        r"\b(?:(?:tell|remind|show|inform) (?:me|us)|let me know"
        r"|i(?:'d like to| want to| need to|'m trying to)? (?:wonder|know|find out)"
        r"|i(?:'m| am) (?:wondering|curious)|explain|describe|recall|look up|find out|any idea"
        r"|do you (?:know|remember|recall))\b",
        examples=("remind me of the port", "Tell me about Redis", "I wonder who wrote it", "explain the cache",
        "any idea about it"),
        counterexamples=("Redis tells us nothing", "the explainer video"),
    ),
    Rule(
        "recency.now", RECENCY,
        r"\b(?:today|just now|right now|currently|at the moment|at present|this (?:morning|afternoon|evening)|tonight"
        r"|as of now|(?:an?|one|two|few|\d{1,2}) (?:minutes?|hours?) ago|a moment ago|earlier today|so far today"
        r"|last hour)\b",
        weight=1.0,
        examples=("what are we doing today", "who just now called", "it is currently down", "an hour ago it worked"),
        counterexamples=("todayish", "concurrently running jobs", "what do you know"),
    ),
    Rule(
        "recency.fresh", RECENCY,
        r"\b(?:yesterday|recent|recently|lately|this week|last night|the other day|latest|newest|most recent"
        r"|last few days|past few days|since monday|this weekend)\b",
        weight=0.8,
        examples=("what did we do yesterday", "have I recently asked about it", "the latest release",
        "this week's plan"),
        counterexamples=("this weekly meeting", "translately"),
    ),
    Rule(
        "recency.recap", RECENCY,
        r"\b(?:catch me up|recap|where (?:were we|did we (?:leave off|stop))"
        r"|what (?:did|have|were) we (?:just )?(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|say(?:ing)?)|pick up where"
        r"|what(?:'s| is) new (?:with|on|in) our|bring me up to speed)\b",
        weight=0.8,
        examples=("catch me up", "recap please", "what did we talk about", "where were we", "where did we leave off"),
        counterexamples=("recapture the lead", "the place where we eat"),
    ),
    Rule(
        "recency.days", RECENCY,
        r"\b(?:(?:last|past) (?:week|weekend|7 days|seven days)"
        r"|(?:few|couple of|couple|several|two|three|four|five|six|[2-9]) days (?:ago|back)"
        r"|(?:last|on) (?:mon|tues|wednes|thurs|fri|satur|sun)day|a week ago)\b",
        weight=0.5,
        examples=("what broke last week", "a few days ago it worked", "what was said on Monday", "3 days ago"),
        counterexamples=("last weekly sync notes", "23 days from here"),
    ),
    Rule(
        "recency.weeks", RECENCY,
        r"\b(?:(?:last|past) month|a while (?:ago|back)|(?:few|couple of|two|three|[2-4]) weeks (?:ago|back)|a month "
        r"ago)\b",
        weight=0.3,
        examples=("the outage of last month", "a while ago we chose Redis", "two weeks ago"),
        counterexamples=("last monthly report", "wait a while"),
    ),
    Rule(
        "decision.decide", "decision", r"\b(?:decid(?:e|es|ed|ing)|decisions?|decisive|undecided|redecide)\b",
        weight=0.5,
        examples=("what did I decide", "we decided on Redis", "decide now between them", "the decision",
        "all decisions so far"),
        counterexamples=("decimal precision", "deciduous trees", "a decibel is a unit"),
    ),
    Rule(
        "decision.choose", "decision",
        r"\b(?:chose|chosen|choose|chooses|choosing|choices?|pick(?:ed)? \w+ over|opt(?:ed)? for|settled? on"
        rf"|{_WE} (?:went|go) with|{_WE} agreed?|agreed on|agreement on)\b",
        weight=0.5,
        examples=("why did we choose Redis", "our choice of database", "we went with Postgres",
        "what have we settled on"),
        counterexamples=("chosenness", "the went-with list", "choosy eaters"),
    ),
    Rule(
        "decision.recommend", "decision",
        r"\b(?:recommend(?:s|ed|ing|ations?)?|should (?:we|i|they|you)|(?:we|i) should)\b",
        weight=0.5,
        examples=("should we use Redis", "what do you recommend", "your recommendation for the cache"),
        counterexamples=("the test should pass", "commendable work"),
    ),
    Rule(
        "decision.weigh", "decision",
        r"\b(?:trade-?offs?|pros and cons|versus|vs|rationale|reason(?:s|ing)? (?:for|behind|why)|alternatives?"
        rf"|instead of|why (?:did|do|are|were|have) {_WE} "
        r"(?:use|using|pick|pick(?:ed)|go|switch(?:ed)?|mov(?:e|ed|ing)|drop(?:ped)?|keep"
        r"|reject(?:ed)?))\b",
        weight=0.5,
        examples=("Redis vs Memcached", "the trade-offs of sharding", "why did we pick Redis", "the rationale for RLS"),
        counterexamples=("vscode settings", "why does it crash"),
    ),
    Rule(
        "fact.define", "fact",
        r"\b(?:what(?:'s| is| are|s)|who(?:'s| is| are|s)|where(?:'s| is| are)|tell me about|facts?|know about"
        r"|defin(?:e|es|ed|ition|itions)|meaning of|stands? for)\b",
        weight=0.5,
        examples=("what is the port", "tell me about Redis", "who's the owner", "define idempotent",
        "what do you know about RLS"),
        counterexamples=("what did we do", "a factory pattern", "whatsoever"),
    ),
    Rule(
        "fact.value", "fact",
        r"\b(?:how (?:many|much|old|big|large|long is|far)"
        r"|what (?:kind|type|sort|color|colour|size|version|number|port|name) "
        r"|(?:my|our|his|her|their|your) "
        r"(?:favou?rite|name|address|birthday|preferences?|e-?mail|phone|password|username))\b",
        weight=0.5,
        examples=("how many shards do we run", "what version is live", "what's my favourite colour", "our preferences"),
        counterexamples=("how do I deploy", "anyhow much later"),
    ),
    Rule(
        "procedure.how", "procedure", r"\bhow (?:do|does|did|to|can|could|should|would|might) ?(?:we|i|you|one|they"
        r"|us|it)?\b",
        weight=0.5,
        examples=("how do I deploy", "how to rotate keys", "how did we fix it", "How should we roll back"),
        counterexamples=("how many shards", "somehow to blame", "how are the tests"),
    ),
    Rule(
        "procedure.steps", "procedure",
        r"\b(?:steps?|process|processes|workflows?|guides?|procedures?|runbooks?|playbooks?|checklists?|instructions"
        r"|how-?to|walk me through|tutorial|recipe)\b",
        weight=0.5,
        examples=("the steps for a release", "our review process", "walk me through the release", "is there a runbook"),
        counterexamples=("stepson", "the processor is hot", "misguided idea"),
    ),
    Rule(
        "episode.when", "episode",
        r"\b(?:last time|when (?:did|was|were|have|had)|what happened|what(?:'s| has) happened|how long ago"
        r"|since when|the first time|how did (?:it|that|the \w+) go)\b",
        weight=0.5,
        examples=("when did we migrate", "what happened with the outage", "the last time it failed",
        "how did the demo go"),
        counterexamples=("when you deploy, restart it", "last timeout setting"),
    ),
    Rule(
        "episode.past", "episode",
        r"\b(?:histor(?:y|ies)|stor(?:y|ies)|recall|earlier|previously|remember(?:ed|s)?|back then|in the past|so "
        r"far)\b",
        weight=0.5,
        examples=("the history of the project", "do you remember the outage", "as I said earlier",
        "what I previously asked"),
        counterexamples=("historical prices", "pearl earliers", "storage class"),
    ),
    Rule(
        "episode.talk", "episode",
        rf"\b(?:{_WE} (?:just )?"
        r"(?:talk(?:ed)?|discuss(?:ed)?|speak|spoke|said|say|mention(?:ed)?|told|tell|ask(?:ed)?|suggest(?:ed)?|met"
        r"|meet)|our (?:last |previous |first )?(?:conversation|discussion|chat|meeting|call|session)s?|recap"
        r"|catch me up|where were we|leave off|left off)\b",
        weight=0.5,
        examples=("what did we talk about", "you mentioned a library", "our last meeting", "where did we leave off",
        "catch me up"),
        counterexamples=("the talk page", "saying goes", "weasked"),
    ),
)  # fmt: skip

_UPPER, _LOWER = r"\p{Lu}", r"[\p{Ll}\p{M}]"
_NAME = rf"(?:{_UPPER}['\x{{2019}}])?{_UPPER}{_LOWER}+(?:[-'\x{{2019}}]{_UPPER}{_LOWER}+)*"
_EXTENSION = (
    r"(?:py|pyi|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cpp|hpp|cs|php|sh|sql|md|rst|txt|json|ya?ml|toml|ini|cfg|env|lock"
    r"|csv|tsv|xlsx?|docx?|pptx?|pdf|html?|css|scss|png|jpe?g|gif|svg|zip|tar|gz|log|ipynb|proto|tf|conf|xml|parquet)"
)

# In order of precedence for matches that begin at the same character.
ENTITIES = (
    Rule("entity.url", "entity", r"(?:https?|ftp|ssh|git|postgres(?:ql)?|redis|s3|file)://[^\s<>\"'`\x{201d})\]]+",
         examples=("https://docs.example.org/a?b=1", "postgres://db:5432/app"), counterexamples=("http:", "a:// b")),
    Rule("entity.email", "entity", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
         examples=("ann.lee@example.com",), counterexamples=("a @ b.com",)),
    Rule("entity.quoted", "entity",
    r"\"[^\"\n]{2,60}\"|\x{201c}[^\x{201d}\n]{2,60}\x{201d}|`[^`\n]{2,60}`|\x{ab}[^\x{bb}\n]{2,60}\x{bb}",
         examples=('"blue green"', "`make check`", "“blue green”"), counterexamples=('"', "``")),
    Rule("entity.path", "entity", rf"(?:~|\.{{1,2}})?/(?:[\w.+-]+/)*[\w.+-]*\w/?|[A-Za-z]:\\[\w\\.-]+"
    rf"|(?:[\w.-]+/)+[\w.-]*\.\w{{1,8}}"
         rf"|(?:[\w-]+/){{2,}}[\w.-]+|[\w-]+(?:\.[\w-]+)*\.{_EXTENSION}\b",
         examples=("/etc/hosts", "src/app/main.py", "~/notes", "README.md", r"C:\temp\a.txt", "./run.sh"),
         counterexamples=("e.g. this", "TCP or IP")),
    Rule("entity.ticket", "entity", r"\b\p{Lu}[\p{Lu}\d]{1,9}-\d+\b|#\d+\b",
         examples=("PROJ-123", "#4711", "CVE-2024"), counterexamples=("a-1", "#tag")),
    Rule("entity.version", "entity", r"\bv\d+(?:\.\d+)*(?:-[\w.]+)?\b|\b\d+(?:\.\d+){2,}(?:[-+][\w.]+)?\b",
         examples=("v2", "1.4.2", "v3.1-rc.1", "10.0.0.1"), counterexamples=("2.5", "version")),
    Rule("entity.identifier", "entity",
    r"\b[A-Za-z]\w*_\w*[A-Za-z0-9]\b|\b\p{Ll}+\p{Lu}\w*|\b\p{Lu}[\p{Ll}\d]+\p{Lu}\w*|\b\p{Lu}\p{Ll}+\d[\w.]*\w"
    r"|\b\p{Lu}\p{Ll}+\d\b",
         examples=("user_id", "useState", "PostgreSQL", "iPhone", "GitHub"), counterexamples=("Postgres", "_")),
    Rule("entity.acronym", "entity", r"\b\p{Lu}[\p{Lu}\d]+s?\b",
         examples=("SQL", "K8S", "EC2", "APIs"), counterexamples=("I", "A b", "sql")),
    Rule("entity.product", "entity", rf"{_NAME} \d+\.\d+\b",
    examples=("Python 3.11",), counterexamples=("python 3",)),
    Rule("entity.name", "entity", rf"{_NAME}(?: (?:(?:of|de|van|von|la|del|der) )?{_NAME}){{0,3}}",
         examples=("we met Zoë Müller", "the Bank of England", "ask O'Brien"), counterexamples=("i like it",)),
)  # fmt: skip
