"""Procedures: how something is done by this user or group, in steps or as a custom."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import HABIT, TO_DO, WEEKDAYS

_OFTEN = r"(?:always|usually|normally|never|typically|generally|only ever|routinely|regularly|traditionally)"
_EACH = (
    r"(?:(?:before|after|with|for|at|in|on|during|until) (?:each|every|any|all)\b|every (?:\w+ )?(?:day|morning"
    r"|evening|night|week|month|quarter|year|spring|summer|autumn|fall|winter|sprint|release|hour|time|\w+day|two"
    r"|three|other|six)\b|each (?:day|morning|evening|night|week|month|quarter|year|sprint|release|time|\w+day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn"
    rf"|winter)\b|once (?:a|per|every) \w+|twice (?:a|per) \w+|on {WEEKDAYS})"
)

RULES = (
    FormationRule(
        "to_do_it",
        "procedure",
        r"(?:in order )?to (?!be\b|clarify\b|answer\b|summari[sz]e\b|save\b|the\b|me\b|you\b|my\b)[a-z-]+"
        rf"(?: [^,]{{2,80}})?, ?(?:you |we |i )?(?:(?:then|first|just|always|only|simply|have to|need to|must"
        rf"|should|can) )*{TO_DO}\b",
        (
            "To restart the boiler, hold the grey button for five seconds.",
            "To deploy, run make ship and wait for the mail.",
        ),
        ("To be honest, open windows annoy me.", "To save time, can you do both?"),
    ),
    FormationRule(
        "steps_listed",
        "procedure",
        r"(?!\w+ (?:this|these|it|out)\b)(?:the |our |my |for )?(?:[\w'-]+ ){0,5}[\w'-]+"
        r"(?: (?:here|process|procedure|workflow|steps"
        r"|checklist|routine|is|are|go(?:es)? like this|works? like this|with us|at our place))?: ?(?:first,? "
        rf"|you |we |always )*{TO_DO}\b[^.]*(?:,|;|\bthen\b)[^.]*\b{TO_DO}\b.*",
        (
            "Releases here: bump VERSION, run cut.sh, and paste the changelog into #ship.",
            "How we onboard: create the account, then send the laptop.",
        ),
        (
            "Two things: I like tea.",
            "Please: check the log and tell me.",
            "Fill this form: name, phone, email.",
        ),
    ),
    FormationRule(
        "what_worked",
        "procedure",
        rf"(?:the |my |our |[\w']+ )?(?:[\w'-]+ ){{0,3}}(?:trick|fix|solution|workaround|recipe|secret|cure|way "
        rf"(?:to|we|i) [\w' -]{{2,40}})(?: [\w' -]{{2,60}})?(?: (?:is|was)(?: to)?|:) (?!(?:not|good|bad|great|in"
        r"|on|still|ready|done|simple|easy)\b).+"
        rf"|what (?:always |usually |finally |really )?(?:works|worked|helps|helped|fixed|did it)\b[^:]{{0,50}}"
        r"(?::| is| was) .+"
        rf"|[^:?]{{3,80}}: ?(?:first |just |you |we )*(?:{TO_DO}|fold|soak|stir|boil|shake|rinse|peel|chop|bake"
        r"|unplug|plug|drain|fit|tighten|loosen)\b[^:]*, (?:and |then |and then |finally |after that )(?:you "
        r"|we |just )?\w+.*",
        (
            "The trick was to export the keyring first and import it later.",
            "What always works with late payers: mail, then phone, then letter.",
            "My gran's bread: let the dough rest, fold it twice, then bake at 240.",
        ),
        ("Please do this: fetch the branch.", "The fix is not good."),
    ),
    FormationRule(
        "steps_that_worked",
        "procedure",
        r"(?:(?:i|we|ended up) )?(?:had to )?(?!(?:i|we|it|the|he|she|they|that)\b)(?:[a-z-]+ed|put|set|ran|took"
        r"|cut|made|kept|let|built|rebuilt|reran|fed|went|got|did|drove|sent|wrote|read|bought|found|gave|began"
        r"|held|left|kneaded)\b [^,]{2,80}, (?:then |and )?(?:[a-z-]+ed|put|set|ran|took|cut|made|kept|let|built"
        r"|rebuilt|reran|fed|went|got|did|sent|wrote|gave|held|left|threw|re-?\w+)\b.*(?:,| and| then) .*",
        ("It works again! I stopped the service, deleted the lock file, and started it again.",),
        ("I got up, walked the dog, and read a book.",),
        within=(
            r"\b(?:works?|worked|working|fixed|fixes|solved|solution|trick|resolved|did it|went through|up again"
            r"|back up|in now|alive|finally|gone|sorted|no more errors|runs again|success)\b"
        ),
    ),
    FormationRule(
        "step_by_step",
        "procedure",
        rf"step (?:1|one): .+|1[.)] .+|(?:you|we|i) (?:can|have to|need to|could) {TO_DO} .*\bby \w+ing .+ (?:and"
        r"|then)\b.+",
        (
            "You can rebuild the index by running make reindex and then restarting both pods.",
            "Step 1: drain the tank.",
            "1) drain the tank",
        ),
        ("Can I rebuild it by hand?",),
    ),
    FormationRule(
        "custom_of_ours",
        "procedure",
        r"(?:we|the team|our team|everyone here|at (?:work|home|our \w+),? we|here,? we|in (?:our|this) \w+,? we) "
        rf"{_OFTEN} (?!(?:look|play|go|take|talk|wear|be|get|give|let|try|stay|speak|say)\b)"
        rf"(?:{TO_DO}|have to|need to)\b .+"
        r"|(?:we|the team|our team) (?:do not |never |only )?"
        r"(?!(?:go|play|look|take|talk|wear|eat|drink|fly|travel|walk|visit|sleep|meet|watch|cook|bake|drive"
        rf"|celebrate|get|see|exercise|commute)\b){HABIT} .*\b{_EACH}.*"
        rf"|{_EACH}[^,]{{0,40}},? (?:we|the team|our \w+|everyone|someone|somebody) (?!are\b|were\b|will\b).+"
        r"|(?:before|after|when(?:ever)?|once) [^,]{4,80}, ?we (?:always |first |usually |never |then )?"
        rf"(?:have to |need to |must )?{HABIT}\b.*"
        rf"|(?:before|after|with|for|on) (?:each|every|any) [\w' -]{{2,40}},? you (?:have to|need to|must) {TO_DO} .+"
        rf"|if (?!you\b)[^,]{{5,60}},? you (?:have to|need to|must) {TO_DO} .*\b(?:first|then|otherwise)\b.*"
        r"|we never let .+"
        r"|what (?:we|i) (?:usually |always |normally |generally )?do(?: [\w' -]{2,40})? is .+"
        r"|the way (?:it|this|that|we) (?:works?|do (?:it|this|that)) (?:here )?is .+"
        r"|(?:i|we) have (?:an?|our|the) (?:\w+ )?"
        r"(?:rule|policy|convention|agreement|process|practice|standard|guideline|procedure|routine|ritual"
        r"|tradition) (?:that|of|to|for|where|in|:).+"
        r"|(?:everyone|everybody|people|members|contributors|employees|new \w+|guests|visitors|kids|students"
        r"|the \w+) (?:have|has|need|needs|must|are required|is required|are supposed|is supposed)(?: to)? "
        rf"{TO_DO} .*\b(?:before|after|first|when|every|each|at least|within|by)\b.*",
        (
            "We always rebase before we merge.",
            "We rotate the keys every month.",
            "Every Friday we back up the photos.",
            "Before we ship, we run the smoke tests.",
            "Before every launch you have to drain the tank.",
            "If the kiln trips you have to open the vents first, then reset it.",
            "Before each concert we tune twice.",
            "We never let guests pay.",
            "What we usually do is bake on Fridays.",
            "The way we do it is to sign twice.",
            "Usually, we ship on Mondays.",
            "We have a rule that shoes stay outside.",
            "Guests have to ring before they enter.",
        ),
        (
            "If you want it you have to ask first.",
            "We always wanted a dog.",
            "We will rotate the keys.",
            "I always cry.",
        ),
    ),
    FormationRule(
        "done_regularly",
        "procedure",
        r"(?!(?:it|this|that|i|we|you|they|there|he|she)\b)(?:the |our |my |all |every |each |any |new )?"
        rf"(?:[\w'-]+ ){{1,5}}(?:is|are|gets?|must be|has to be|have to be) (?:always |never |only |usually "
        r"|first )?(?:\w+ed|done|sent|kept|run|built|cut|made|paid|fed|taken|written|put|brought|sold|set|reset"
        rf"|read|shut) .*\b(?:{_EACH}|by (?:two|three|at least)|before (?:they|it|we)|after (?:they|it|we)|via"
        r"|through)\b.*",
        (
            "The boiler gets serviced each October.",
            "Pull requests are merged by two reviewers.",
            "Invoices must be signed before they go out.",
        ),
        ("The cake was eaten every time.", "The film is made by the same people."),
    ),
)
