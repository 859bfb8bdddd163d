"""Define the eight categories of work: their requirements, the rules that detect them, and labelled sentences.

Weights, thresholds, tools, caps and thinking levels follow an existing pre-flight planner; the reasons for differences
are in docs/decisions/0017-preflight.md. Patterns are matched on lower-case ASCII (`matching.fold`). A rule counts once
per message, however often it matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cognitive.plan import Caps, Category, Thinking
from cognitive.preflight.rules.matching import Rule

# Caps of an unclassified message. Caps of at least this size do not lower the budget of the frame.
FULL = Caps(15, 500)
FALLBACK_THINKING: Thinking = "low"


@dataclass(frozen=True, slots=True)
class CategoryDefinition:
    """A category of work, such as research: how messages are scored for the category, and what its turns need.

    The category applies to a message with a score of at least `threshold`. `weight` is the default weight of its rules
    in the score. `structure` maps structural signals (see `message_shape`) to weights. `tools` are the names of the
    tools that the category needs.
    """

    name: str
    weight: float
    threshold: float
    tools: tuple[str, ...]
    caps: Caps
    thinking: Thinking
    structure: Mapping[str, float] = field(default_factory=dict)
    whole: bool = False  # every tool is kept
    alone: bool = False  # if it fires, no other category does
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()


CATEGORY_DEFINITIONS: tuple[CategoryDefinition, ...] = (
    CategoryDefinition(
        "casual", 3, 3, ("message",), Caps(0, 0), "off",
        # Detected by the small talk rules and not by length: "fix the build" has 13 characters.
        {"small_talk": 3, "emoji_only": 5}, alone=True,
        examples=("hey", "yo", "sup", "thanks", "good morning!", "how are you?", "\U0001f44d", "\u2764\ufe0f", "ok"),
        counterexamples=("123", "fix the build", "hey, what did we decide about Redis?", "Redis", "who am I?"),
    ),
    CategoryDefinition(
        "research", 2, 3, ("exec", "web_fetch", "web_search", "message", "read"), Caps(10, 400), "low",
        {"url": 3, "question": 2, "someone": 1},
        examples=("search for flights to Rome", "What is the capital of Peru?", "https://example.org/post",
                  "look up the opening hours", "who is the mayor of Graz?", "compare the two phones, which is better?"),
        counterexamples=("my train is late", "is it?", "the pie is in the oven"),
    ),
    CategoryDefinition(
        "coding", 2, 3, ("exec", "read", "write", "edit", "apply_patch", "process", "message"), Caps(5, 200), "medium",
        {"path": 3, "fence": 4, "inline_code": 2},
        examples=("fix the build", "debug this function", "look at src/app/main.py", "```\nx = 1\n```",
                  "write a unit test", "commit my changes"),
        counterexamples=("I made an error", "the movie was a bug", "e.g. this one", "see example.com"),
    ),
    CategoryDefinition(
        "crypto", 2, 3, ("exec", "message", "web_fetch", "web_search"), Caps(8, 300), "medium",
        {"amount": 2, "address": 3, "base58": 2},
        examples=("swap 1 SOL for USDC", "what's my wallet balance?", "the price of bitcoin", "mint an NFT",
                  "0x52908400098527886e0f7030069857d2e4169ee7"),
        counterexamples=("the base is made of stone", "it costs $20", "rotate the API token", "sol", "base"),
    ),
    CategoryDefinition(
        "media", 3, 3, ("exec", "message"), Caps(3, 150), "off",
        {"image": 3, "audio": 3, "video": 3},
        examples=("draw a cat", "generate an image of a fox", "transcribe this", "read it out loud", "a voice note"),
        counterexamples=("what did she say?", "build the docker image", "draw a conclusion", "send a report", "ray"),
    ),
    CategoryDefinition(
        "monitoring", 2, 3, ("exec", "message"), Caps(3, 150), "off",
        examples=("gpu status", "how much VRAM is used?", "check disk", "are the services up?", "server uptime"),
        counterexamples=("ram", "top", "the ram jumped over the fence", "the status of my order", "health food"),
    ),
    CategoryDefinition(
        "memory", 3, 3, ("memory_search", "memory_get", "message"), Caps(25, 1000), "low",
        {"question": 1, "someone": 3},
        examples=("what did we decide about Redis?", "do you remember it?", "last time we met", "you said so",
                  "remember that I like tea", "what happened yesterday?"),
        counterexamples=("memory usage of the box", "run the tests before the deploy", "a memorable day"),
    ),
    CategoryDefinition(
        "complex", 2, 4, (), FULL, "high",
        {"long": 3, "longish": 1, "sentences": 2, "numbered": 2, "many_questions": 3, "two_questions": 1, "short": -3},
        whole=True,
        examples=("First gather the numbers of the last three years from the archive, and then analyze them step by "
                  "step. Write down whatever looks odd. Plan the interviews that follow from it. Tell me early if "
                  "something is missing, and keep the people from the archive in the loop, since they have to approve "
                  "what we publish. Thanks.",),
        counterexamples=("next", "also", "what is the plan?", "analyze it"),
    ),
)  # fmt: skip


def _row(
    category: Category, name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...] = (),
    *, weight: float | None = None,
) -> Rule:  # fmt: skip
    usual = next(need.weight for need in CATEGORY_DEFINITIONS if need.name == category)
    return Rule(f"{category}.{name}", category, pattern, usual if weight is None else weight, examples, counterexamples)


_WE = r"(?:i|we|you)"
_AH = r"lol|haha|btw|well|oh|um|hm+"  # filler before a question
_SAID = (
    r"(?:said|told|mentioned|discussed|talked about|decided|agreed|chose|promised|suggested|recommended|asked|planned"
    r"|booked|picked|concluded|settled|gave me)"
)
_SAY = (
    r"(?:say|tell|mention|discuss|talk|decide|agree|choose|promise|suggest|recommend|ask|plan|book|pick|conclude|settle"
    r"|told|said|talking|discussing|like|liked|want|use|drop|leave|go|solve|met|meet|switch|make|do|give|buy|last)"
)

RULES: tuple[Rule, ...] = (
    _row("research", "search",
    r"\b(?:search(?:ing)? (?:for|the|on|online)|look(?:ing)? (?:up|for)|find out|google|browse|research|web search"
    r"|search|compare)\b",
         ("search for a hotel", "Look up the rules", "google it", "compare both"), ("incomparable",), weight=3),
    _row("research", "find", r"\bfind\b", ("find me a dentist",), ("findings",), weight=3),
    _row("research", "show", r"\b(?:show|give|get|fetch|provide)(?: me| us)\b|\b(?:recommend|suggest)\b",
         ("show me the rules", "can you recommend one"), ("shown",)),
    _row("research", "pictures", r"\b(?:images?|pictures?|photos?|videos?|examples?) (?:of|about|from|for|taken)\b",
         ("photos of Mars",), ("the photo",), weight=1),
    _row("research", "asks",
    rf"(?:^|[.!?,;:\n] ?|\b(?:and|so|tell me|show me|know|wonder|explain|{_AH}) )"
    r"(?:what|who|whom|whose|which|when|where|why"
    r"|how)(?:'s|s)?\b",
         ("what is a monad", "tell me who won", "Fine. how does it work"), ("somewhat", "the one who knocks")),
    _row("research", "explain",
    r"\b(?:explain|comparison|differences? between|tell me about|summar(?:y of|i[sz]e)|learn about|overview"
    r"|definition of|meaning of|history of|pros and cons)\b",
         ("explain tides", "an overview of it"), ("explainer",)),
    _row("research", "world",
    r"\b(?:reviews? of|articles?|documentation|papers?|price of|prices? for|online|website|stud(?:y|ies) (?:on"
    r"|about))\b",
         ("an article", "papers on tides"), ("newspaperman",)),
    _row("research", "current",
    r"\b(?:news|weather|forecasts?|exchange rates?|opening hours|wikipedia)\b",
         ("the latest news", "weather in Oslo"), ("newspaperman",), weight=3),
    # Shared past of user and agent is not on the web. An explicit request to search still outweighs this.
    _row("research", "not_ours",
    rf"\b(?:did|have|had|were|was) {_WE}(?: (?:ever|already|just|once|even|all|last))? {_SAY}\b|\bwho am i\b",
         ("what did we decide", "who am I"), ("what did they decide",), weight=-2),

    _row("coding", "fix",
    r"\b(?:fix(?:ing|es)?|debug(?:ging)?|refactor(?:ing)?|implement(?:ing)?|patch|optimi[sz]e|rewrite|scaffold|lint)\b",
         ("fix it", "please refactor"), ("fixture list",)),
    _row("coding", "ship",
    r"\b(?:build|compile|deploy(?:ment|s|ing)?|commit|rebase|merge|roll ?back|revert|release|migrat(?:e|ion)"
    r"|install)\b",
         ("deploy it", "the build"), ("committee", "emerge")),
    _row("coding", "change",
    r"\b(?:write|edit|creat(?:e|ing)|update|change|rename|delete|remove|add|replace|bump|convert|generate|run|start"
    r"|restart|execute|make)\b", ("rename it", "add one"), ("address", "runner")),
    _row("coding", "parts",
    r"\b(?:code(?: ?base)?|functions?|methods?|class(?:es)?|variables?|modules?|components?|interfaces?|decorators?"
    r"|regex(?:es|ps?)?|endpoints?|librar(?:y|ies)|packages?|dependenc(?:y|ies)|imports?|type hints?|sql|scripts?"
    r"|programs?|apps?|parsers?|schemas?|quer(?:y|ies)|compilers?|frontend|backend|debugger|venv|web ?page)\b",
         ("the function", "a regex"), ("codeine", "apple")),
    _row("coding", "fails",
    r"\b(?:errors?|bugs?|exceptions?|tracebacks?|stack ?traces?|segfaults?|crash(?:es|ed|ing)?"
    r"|(?:key|type|value|syntax|import|name|index|runtime|attribute|assertion|reference)error|warnings?"
    r"|null pointer|undefined|memory leaks?)\b", ("a KeyError", "it crashes"), ("terror", "bugle")),
    _row("coding", "tests", r"\b(?:unit tests?|tests?|test suite|ci|pipelines?)\b", ("the tests",), ("contest",)),
    _row("coding", "repository",
    r"\b(?:git|github|gitlab|repo(?:sitory)?|branch(?:es)?|pull requests?|prs?|hotfix|readme|docker(?:file)?|todos?"
    r"|staging|production|dev server|ports?|changelog)\b", ("the repo", "my branch"), ("portal",)),
    _row("coding", "languages",
    r"\b(?:python|javascript|typescript|rust|golang|java|c\+\+|react|django|solidity|bash|css|html|npm|pip|cargo"
    r"|kubectl|kubernetes|webpack|pytest|sql|json|yaml)\b", ("in Python", "npm"), ("rusty",)),
    _row("coding", "files", r"\b(?:files?|folders?|director(?:y|ies)|config(?:uration)?)\b", ("a file",), ("profile",)),
    _row("coding", "git",
    r"\bgit (?:add|commit|push|pull|rebase|merge|stash|log|diff|checkout|clone|blame|reset)\b|\b(?:npm|pip|cargo|uv"
    r"|yarn|brew|apt) (?:install|run|add|build|test)\b|\bcommit (?:the|my|this|these|all|it|and push)\b"
    r"|\bpush (?:to|my|it)\b"
    r"|\brun (?:the |my |all )?(?:unit )?tests?\b|\bpull request\b|\b(?:compile|lint|build|deploy) (?:the|my|this"
    r"|our)\b"
    r"|\bstack ?trace\b|\btraceback\b|\b(?:roll ?back|revert) (?:the|to|my|our|it)\b",
         ("git push now", "npm install", "run the tests"), ("git is old", "commit a crime"), weight=3),

    _row("crypto", "coins",
    r"\b(?:bitcoins?|btc|ethereum|eth|solana|dogecoins?|doge|litecoin|cardano|monero|usdc|usdt|stablecoins?|altcoins?"
    r"|memecoins?|shitcoins?|crypto(?:currenc(?:y|ies))?|defi|nfts?|airdrops?|uniswap|raydium|aave|metamask|solidity"
    r"|smart contracts?|dex(?:es)?"
    r"|web3|on-?chain|block ?chain|impermanent loss|l2|memecoin|bonk)\b",
         ("bitcoin", "some USDC"), ("ethics", "define"), weight=3),
    _row("crypto", "chains", r"\b(?:sol|arbitrum|polygon|avalanche|optimism|cosmos|base (?:chain|network)|on base)\b",
         ("1 sol", "on Base"), ("solar", "the base", "based")),
    # A shell variable looks like a ticker: the rule has its own weight only next to a word such as "price" (see below).
    _row("crypto", "ticker", r"\$[a-z]{2,6}\b", ("$wif", "the $sol one"), ("$5", "costs $ 20", "us$")),
    _row("crypto", "ticker_price",
    r"\$[a-z]{2,6} (?:prices?|charts?|market ?cap|volume|news|pumps?|dumps?|today)\b"
    r"|\b(?:prices?|value|chart|buy|sell|swap|trade) (?:of |some |my )?\$[a-z]{2,6}\b",
         ("$wif price", "buy some $pepe"), ("$path is empty", "price of $20"), weight=1),
    _row("crypto", "moves",
    r"\b(?:swap(?:s|ped|ping)?|stak(?:e|ed|ing)|unstak(?:e|ing)|mint(?:ed|ing)?|bridg(?:e|ing)|hodl|liquidity|yield"
    r" farm(?:ing)?|gas (?:fees?|price)|lowest gas|limit order|halving|slippage|validators?)\b",
         ("swap it", "stake"), ("swapfile", "minty", "stakeholder")),
    _row("crypto", "holdings", r"\b(?:wallets?|cold storage|seed phrase|ledger nano|phantom)\b",
         ("my wallet",), ("walleted",)),
    _row("crypto", "assets", r"\b(?:tokens?|coins?|balances?|transfer(?:s|red)?|portfolio)\b",
         ("the token", "my balance"), ("tokenizer", "balanced")),
    _row("crypto", "not_access",
    r"\b(?:api|auth(?:entication)?|access|refresh|bearer|bot|csrf|session|jwt|oauth) tokens?\b|\btoken ring\b"
    r"|\btokens? "
    r"(?:limit|count|budget|usage)\b", ("rotate the API token",), ("the token of my wallet",), weight=-3),

    _row("media", "pictures",
    r"\b(?:images?|pictures?|photos?|selfies?|drawings?|illustrations?|screenshots?|memes?|wallpapers?|avatars?"
    r"|logos?|concept art|album cover|watercolou?r|cartoons?|collages?)\b", ("a picture",), ("imagery", "imagine")),
    _row("media", "draws",
    r"\b(?:draw|sketch|paint|illustrate|animate) (?:me |us |up )?(?:an?|the|some|this|my|it)\b",
         ("draw me a fox",), ("drawn to the sea", "draw near")),
    _row("media", "not_draws", r"\bdraw (?:a|the|some) (?:conclusions?|lines?|distinction|comparison|parallels?)\b",
         ("draw a conclusion",), ("draw a cat",), weight=-3),
    _row("media", "not_pictures",
    r"\b(?:docker|container|disk|base|iso|vm|system|boot|machine) images?\b|\bimages? (?:tag|registry|pull)\b"
    r"|\b(?:big|bigger|full|whole"
    r"|larger) picture\b", ("the docker image", "the big picture"), ("my image",), weight=-3),
    _row("media", "sound",
    r"\b(?:transcri(?:be|pt(?:s|ion)?)|text[- ]to[- ]speech|tts|voice[- ]?(?:notes?|memos?|messages?|overs?)|audio"
    r"|mp3|wav|podcast episode|out loud|aloud|narrat(?:e|ion)|recordings?|listen to (?:this|the|it|that)"
    r"|speak (?:the|this|it|your|that))\b",
         ("transcribe it", "read it aloud", "listen to this"), ("listen to me", "allowed", "they speak English")),
    _row("media", "says", r"\bsay (?:it|this|that|hello|something) (?:in|with|to)\b", ("say it in French",),
         ("did you say it", "what did she say")),
    _row("media", "films", r"\b(?:gifs?|subtitles?|ocr|upscale|crop|resize|render)\b", ("crop it",), ("eclipse",)),
    # Media that messages talk about as often as they ask to produce them: a lower weight.
    _row("media", "loose", r"\b(?:videos?|clips?|voices?|songs?|music|melod(?:y|ies)|speech|sing)\b",
         ("a song",), ("eclipses", "singular"), weight=2),
    _row("media", "makes",
    r"\b(?:generate|create|make|record|play|edit|turn|convert|cut|trim|shorten|compose|produce|design|use)\b",
         ("play it", "make one"), ("maker",), weight=1),

    _row("monitoring", "resources",
    r"\b(?:gpus?|vram|cpus?|ram|disks?|memory (?:usage|leaks?|use|consumption)|(?:free|most|used) memory|bandwidth"
    r"|graphics card|swap usage|latency)\b", ("the gpu", "memory usage"), ("ramp", "program", "my memory")),
    _row("monitoring", "state",
    r"\b(?:status|health(?:y)?|alive|uptime|outages?|metrics|usage|utili[sz]ation|load|temperatures?|temps?|hot|idle"
    r"|responding|crash(?:es|ed|ing)?|online|offline|alerts?|how full|in use|is used|free|up|down|running|run|space"
    r"|ping|eating)\b",
         ("the status", "is it up"), ("upper", "downtown")),
    _row("monitoring", "things",
    r"\b(?:services?|servers?|networks?|nodes?|clusters?|containers?|daemons?|process(?:es)?|systemd|machines?|hosts?|database|db"
    r"|nginx|postgres|redis|vpn|api|gateway|backups?|cron ?jobs?|monitoring|systems?|box|logs?)\b",
         ("the server", "all nodes"), ("observer", "boxer")),
    _row("monitoring", "checks", r"\b(?:check|monitor|watch|show|report|list)\b",
         ("check it",), ("checkers",), weight=1),
    _row("monitoring", "outright",
    r"^\W*(?:system |service |server )?status\W*$|\bhealth ?checks?\b|\bsystem (?:status|health|load|metrics)\b"
    r"|\bload average\b|\bdisk space\b|\bvram\b|\bcpu (?:load|usage|temp)|\bgpu (?:status|usage|temp)|\buptime\b",
         ("status?", "health check", "the load average"), ("status quo",), weight=3),

    _row("memory", "remember",
    r"\b(?:remember|recall|don't forget|do not forget|forget (?:what|that|about)|remind (?:me|us) (?:what|of|who|when"
    r"|where|how|which)|keep in mind|bear in mind|catch me up|where (?:did we leave off|were we)|leave off)\b",
         ("do you remember it", "recall the name", "remind me of the dates"), ("remembrance", "remind me to call"),
         ),
    _row("memory", "said",
    rf"\b{_WE}(?:'ve| have| had| just| already| previously| once| ever)* {_SAID}\b"
    rf"|\b(?:did|have|had|were|was) {_WE}(?: (?:ever|already|just|once|even|all|last))? {_SAY}\b",
         ("you said so", "as I mentioned", "what did we decide", "did I ever tell you"), ("they said so", "say when")),
    _row("memory", "last_time",
    r"\b(?:last time|the other day|(?:our|my|your) (?:last|previous|earlier) \w+|the last (?:thing|time)|back then"
    r"|previously|as (?:before|always|agreed)|the way we|have we met)\b",
         ("last time it worked", "our last meeting"), ("at last", "last week")),
    _row("memory", "past",
    r"\b(?:yesterday|earlier|this morning|last (?:week|month|year|night|spring|summer|autumn|fall|winter)|before"
    r"|(?:days?|weeks?|months?|years?) ago|so far)\b", ("yesterday", "two weeks ago"), ("pearliest",), weight=2),
    _row("memory", "about_me",
    r"\b(?:what|who|when|where|which|how old|how many)(?:'s|s| is| are| was| were) (?:my|our)\b|\bwho am i\b"
    r"|\bdo you know (?:me|my|our|anything about)\b|\bknow about (?:me|my|us|our)\b|\bare we friends\b"
    r"|\b(?:that|the) \w+ i (?:liked|mentioned|told|asked|read|saw|bought|wanted)\b",
         ("what's my name", "who am I", "do you know me"), ("what is mine", "who is the mayor")),

    _row("memory", "of_ours",
    rf"(?:^\W*(?:(?:hey|hi|hello|so|and|ok|also|{_AH})\W+)?|[.!?\n]\s*|\b(?:tell|remind|show) me |\bsummari[sz]e )"
    r"(?:what|who|when|where|which|why|how)\b[^.!?\n]*\b(?:i|my|our|we)\b"
    r"|\b(?:our|all|my) (?:conversations?|sessions?|chats?|requests)\b",
         ("how many commits are in my repository", "across our conversations", "Fine. what do I owe"),
         ("what is it", "my dog", "a game where I can be myself"), weight=2),

    _row("complex", "steps", r"\b(?:step[- ]by[- ]step|multi-?step|one (?:by one|after the other)|every step)\b",
         ("go step by step",), ("a step back",)),
    _row("complex", "then",
    r"\b(?:and then|after that|afterwards|and finally|finally,|when you are done|once (?:that|this) is done)\b",
         ("do it and then stop", "After that, rest"), ("then", "finally")),
    _row("complex", "first", r"(?s)\bfirst\b.*\b(?:then|after|next|second|finally)\b",
         ("first this, then that",), ("first", "then first")),
    _row("complex", "plans",
    r"\b(?:plans?|planning|analy[sz](?:e|es|ing)|analysis|strateg(?:y|ies)|investigat(?:e|ion)|roadmap|design document"
    r"|evaluate)\b", ("plan it", "analyze that"), ("planet", "plane")),
)  # fmt: skip

# Labelled sentences for `ExemplarClassifier`, which no rule of their category matches. Sentences under `None` belong to
# no category: without them, every message would be near to some category. "casual" and "complex" are not guessed: a
# wrong "casual" would remove every tool, and a message without a category keeps all tools like a "complex" one.
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
