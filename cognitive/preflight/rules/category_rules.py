"""Rules that detect the eight categories of work in a message.

Patterns are matched on lower-case ASCII (`matching.fold`). A rule counts once per message, however often it matches.
"""

from __future__ import annotations

from cognitive.plan import Category
from cognitive.preflight.rules.categories import CATEGORY_DEFINITIONS
from cognitive.preflight.rules.matching import Rule


def _row(
    category: Category,
    name: str,
    pattern: str,
    examples: tuple[str, ...],
    counterexamples: tuple[str, ...] = (),
    *,
    weight: float | None = None,
) -> Rule:
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
    r"(?:what|who|whom|whose|which|when|where|why|how)(?:'s|s)?\b",
         ("what is a monad", "tell me who won", "Fine. how does it work"), ("somewhat", "the one who knocks")),
    _row("research", "explain",
    r"\b(?:explain|comparison|differences? between|tell me about|summar(?:y of|i[sz]e)|learn about|overview"
    r"|definition of|meaning of|history of|pros and cons)\b",
         ("explain tides", "an overview of it"), ("explainer",)),
    _row("research", "world",
    r"\b(?:reviews? of|articles?|documentation|docs|papers?|price of|prices? for|online|website|stud(?:y|ies) (?:on"
    r"|about))\b",
         ("an article", "papers on tides"), ("newspaperman",)),
    _row("research", "sources",
    r"\b(?:peer[- ]reviewed"
    r"|(?:with|cite|good|reliable|primary|academic|more|three|two|some) (?:sources|references|citations)"
    r"|alternatives to|(?:info|information|background) (?:on|about)"
    r"|(?:best|cheapest|nearest|closest) \w+(?: \w+)? (?:in|near|around|under)"
    r"|(?:latest|newest|current|stable) (?:stable )?(?:version|release) of)\b",
         ("with sources", "alternatives to Zendesk", "the newest version of Node"), ("open source", "resources"),
         weight=3),
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
    r"|null pointer|undefined|memory leaks?|get(?:s|ting)? (?:a |an )?[45]\d\d)\b",
         ("a KeyError", "it crashes"), ("terror", "bugle")),
    _row("coding", "tests", r"\b(?:unit tests?|tests?|test suite|ci|pipelines?)\b", ("the tests",), ("contest",)),
    _row("coding", "repository",
    r"\b(?:git|github|gitlab|repo(?:sitory)?|branch(?:es)?|pull requests?|prs?|issues?|tickets?|diffs?|code reviews?"
    r"|review comments?|reviewers?|workflows?|hotfix|readme|docker(?:file)?|todos?|staging|production|dev server"
    r"|ports?|changelog)\b", ("the repo", "my branch"), ("portal",)),
    _row("coding", "languages",
    r"\b(?:python|javascript|typescript|rust|golang|java|c\+\+|react|django|solidity|bash|css|html|npm|pip|cargo"
    r"|kubectl|kubernetes|webpack|pytest|sql|json|yaml)\b", ("in Python", "npm"), ("rusty",)),
    _row("coding", "files", r"\b(?:files?|folders?|director(?:y|ies)|config(?:uration)?)\b", ("a file",), ("profile",)),
    _row("coding", "interface",
    r"\b(?:buttons?|header|footer|nav ?bar|sidebar|modals?|dialogs?|tooltips?|dropdowns?|checkbox(?:es)?|layout"
    r"|dark mode|stylesheets?|(?:landing|login|settings|home|start|checkout|error|web) (?:page|form|screen)"
    r"|placeholder|icons?|favicon|autoplay|hover|clickable|visible|docs|markdown|mermaid)\b"
    r"|\b(?:the|our|each|every) (?:logo|avatar|banner|thumbnail)s?\b"
    r"|\b(?:on|of) (?:the|our|my|every|each) \w+ (?:page|screen|tab|view|dashboard)\b"
    r"|\b(?:the|our|every|each) (?:\w+ ){0,2}(?:photos?|pictures?|images?|videos?)\b",
         ("the header", "our logo", "the login form", "on the about page"), ("buttonhole", "a logo", "the page")),
    # A decision or an answer is put to use: the message names no work, but asks for some.
    _row("coding", "acts",
    r"\b(?:use|do|apply|implement|adapt|improve|finish|adjust|set|switch|put|move|correct|repair|adopt|drop|try|keep"
    r"|take) (?:it|that|this|these|them|those|ours|so)\b"
    r"|\b(?:set ?up|configure|enable|disable)\b"
    r"|\b(?:how|what) about \w+ing\b",
         ("use that", "set up an alert", "how about moving it"), ("used that", "how about tea")),
    # Asks for a defect, which is repaired next.
    _row("coding", "why",
    r"\bwhy (?:is|are|does|do|isn't|isnt|aren't|doesn't|doesnt|don't|won't|can't|cant|the|our|my|it|this)\b",
         ("why is it grey", "why doesn't it stick"), ("why me", "what for")),
    _row("coding", "git",
    r"\bgit (?:add|commit|push|pull|rebase|merge|stash|log|diff|checkout|clone|blame|reset)\b"
    r"|\b(?:npm|pip|cargo|uv|yarn|brew|apt) (?:install|run|add|build|test)\b"
    r"|\bcommit (?:the|my|this|these|all|it|and push)\b"
    r"|\bpush (?:to|my|it)\b"
    r"|\brun (?:the |my |all )?(?:unit )?tests?\b"
    r"|\bpull request\b"
    r"|\b(?:compile|lint|build|deploy) (?:the|my|this|our)\b"
    r"|\bstack ?trace\b|\btraceback\b"
    r"|\b(?:roll ?back|revert) (?:the|to|my|our|it)\b",
         ("git push now", "npm install", "run the tests"), ("git is old", "commit a crime"), weight=3),

    _row("crypto", "coins",
    r"\b(?:bitcoins?|btc|ethereum|eth|solana|dogecoins?|doge|litecoin|cardano|monero|usdc|usdt|stablecoins?|altcoins?"
    r"|memecoins?|shitcoins?|crypto(?:currenc(?:y|ies))?|defi|nfts?|airdrops?|uniswap|raydium|aave|metamask"
    r"|solidity|smart contracts?|dex(?:es)?|web3|on-?chain|block ?chain|impermanent loss|l2|memecoin|bonk)\b",
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
    r"\b(?:swap(?:s|ped|ping)?|stak(?:e|ed|ing)|unstak(?:e|ing)|mint(?:ed|ing)?|bridg(?:e|ing)|hodl|liquidity"
    r"|yield farm(?:ing)?|gas (?:fees?|price)|lowest gas|limit order|halving|slippage|validators?)\b",
         ("swap it", "stake"), ("swapfile", "minty", "stakeholder")),
    _row("crypto", "holdings", r"\b(?:wallets?|cold storage|seed phrase|ledger nano|phantom)\b",
         ("my wallet",), ("walleted",)),
    _row("crypto", "assets", r"\b(?:tokens?|coins?|balances?|transactions?|transfer(?:s|red)?|portfolio)\b",
         ("the token", "my balance"), ("tokenizer", "balanced")),
    _row("crypto", "not_access",
    r"\b(?:api|auth(?:entication)?|access|refresh|bearer|bot|csrf|session|jwt|oauth) tokens?\b"
    r"|\btoken ring\b"
    r"|\btokens? (?:limit|count|budget|usage)\b", ("rotate the API token",), ("the token of my wallet",), weight=-3),

    _row("media", "pictures",
    r"\b(?:images?|pictures?|photos?|selfies?|drawings?|illustrations?|screenshots?|memes?|wallpapers?|avatars?"
    r"|logos?|concept art|album cover|watercolou?r|cartoons?|collages?)\b", ("a picture",), ("imagery", "imagine")),
    _row("media", "draws",
    r"\b(?:draw|sketch|paint|illustrate|animate) (?:me |us |up )?(?:an?|the|some|this|my|it)\b",
         ("draw me a fox",), ("drawn to the sea", "draw near")),
    _row("media", "not_draws", r"\bdraw (?:a|the|some) (?:conclusions?|lines?|distinction|comparison|parallels?)\b",
         ("draw a conclusion",), ("draw a cat",), weight=-3),
    _row("media", "not_pictures",
    r"\b(?:docker|container|disk|base|iso|vm|system|boot|machine) images?\b"
    r"|\bimages? (?:tag|registry|pull)\b"
    r"|\b(?:big|bigger|full|whole|larger) picture\b",
         ("the docker image", "the big picture"), ("my image",), weight=-3),
    _row("media", "sound",
    r"\b(?:transcri(?:be|pt(?:s|ion)?)|text[- ]to[- ]speech|tts|voice[- ]?(?:notes?|memos?|messages?|overs?)|audio"
    r"|mp3|wav|podcast episode|out loud|aloud|read (?:it|this|that|them) (?:to me|out|back)|narrat(?:e|ion)"
    r"|recordings?|listen to (?:this|the|it|that)|speak (?:the|this|it|your|that))\b",
         ("transcribe it", "read it aloud", "listen to this"), ("listen to me", "allowed", "they speak English")),
    _row("media", "says", r"\bsay (?:it|this|that|hello|something) (?:in|with|to)\b", ("say it in French",),
         ("did you say it", "what did she say")),
    _row("media", "films", r"\b(?:gifs?|subtitles?|ocr|upscale|crop|resize|render)\b", ("crop it",), ("eclipse",)),
    # Media that messages talk about as often as they ask to produce them: a lower weight.
    _row("media", "loose", r"\b(?:videos?|clips?|voices?|songs?|music|melod(?:y|ies)|speech|sing)\b",
         ("a song",), ("eclipses", "singular"), weight=2),
    _row("media", "plays",
    r"\bplay (?:some|me|us|my|music|something|anything|the (?:song|album|track|playlist|next|radio))\b"
    r"|\b(?:pause|resume|skip|shuffle|queue|turn (?:up|down)) (?:the |this |that )?(?:music|song|track|album"
    r"|playlist|volume|podcast)\b"
    r"|\bwhat(?:'s| is) playing\b|\bnext (?:song|track)\b|\b(?:louder|quieter)\b"
    r"|\b(?:song|album|track|playlist)s? .{0,60}\b(?:queue|playlist)\b",
         ("play some jazz", "skip this song", "add that song to the queue"), ("play a role", "skip this test")),
    _row("media", "makes",
    r"\b(?:generate|create|make|record|play|edit|turn|convert|cut|trim|shorten|compose|produce|design|use)\b",
         ("play it", "make one"), ("maker",), weight=1),

    _row("monitoring", "resources",
    r"\b(?:gpus?|vram|cpus?|ram|disks?|memory (?:usage|leaks?|use|consumption)|(?:free|most|used) memory|bandwidth"
    r"|graphics card|swap usage|latency)\b", ("the gpu", "memory usage"), ("ramp", "program", "my memory")),
    _row("monitoring", "state",
    r"\b(?:status|health(?:y)?|alive|uptime|outages?|metrics|usage|utili[sz]ation|load|temperatures?|temps?|hot|idle"
    r"|responding|crash(?:es|ed|ing)?|online|offline|alerts?|how full|in use|is used|free|up|down|running|run|space"
    r"|ping|eating|slow(?:er)?|time ?outs?|traffic|requests|5\d\ds?)\b",
         ("the status", "is it up"), ("upper", "downtown")),
    _row("monitoring", "things",
    r"\b(?:services?|servers?|networks?|nodes?|clusters?|containers?|daemons?|process(?:es)?|systemd|machines?|hosts?"
    r"|database|db|nginx|postgres|redis|vpn|api|gateway|backups?|cron ?jobs?|monitoring|systems?|box|logs?|pods?"
    r"|kafka|rabbitmq|elasticsearch|grafana|prometheus|load balancer|web ?site)\b",
         ("the server", "all nodes"), ("observer", "boxer")),
    _row("monitoring", "measures",
    r"\bp(?:50|90|95|99)\b|\berror rates?\b|\b(?:requests|queries) per second\b|\b(?:qps|rps|throughput)\b"
    r"|\blogs? (?:of|from|for) (?:the|our|my)\b|\b(?:tail|last \d+ lines of) .{0,30}\blogs?\b",
         ("the p95", "logs of the worker", "tail the api log"), ("p1", "log of war"), weight=3),
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
    _row("memory", "notes",
    r"(?:^\W*|\bplease |\b(?:can|could) you |, )(?:note|make a note|take (?:a )?note)\b(?: this| it"
    r"| down)*(?: that\b|:|\W*$)"
    r"|\bnote for (?:the future|later|next time)\b|\bkeep (?:it|that|this|these|those) in mind\b"
    r"|\bfor (?:future reference|next time)\b"
    r"|\b(?:did|have) (?:i|we) (?:already|ever)\b|\b(?:where|when) did i\b|\bmy usual\b|\bi (?:usually|don't eat"
    r"|don't drink)\b"
    r"|\b(?:save|store) (?:it|this|that) (?:to|in) (?:your )?memory\b|\b(?:fyi|for your information)\b"
    r"|\bmy (?:new |home |work |old )?(?:address|phone(?: number)?|birthday|favou?rite \w+) is\b"
    r"|\bi(?:'m| am) (?:allergic|vegetarian|vegan)\b",
         ("please note for the future: no deploys", "keep that in mind", "did I already pay", "my new address is",
          "where did i park"),
         ("a note", "note pad", "my server is down", "he did")),
    # Records of the user outside the memory, which tools search too.
    _row("memory", "records",
    r"\b(?:e-?mails?|mails?|inbox|gmail|outlook|slack|calendar|meetings?|appointments?|contacts?|chat history)\b",
         ("any mail", "my inbox"), ("mailbox.py", "contactless"), weight=2),
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

    # A request to talk to other people: too little for small talk, but tools of "casual" are kept.
    _row("casual", "speaks",
    r"\b(?:post|repl(?:y|ies)|respond|send|write (?:to|back)|tell|ask|message|dm|e-?mail|mail|notify|ping|announce"
    r"|slack|invite|forward|share|let \w+ know|draft|answer|comment|react)\b",
         ("reply to Kim", "let them know"), ("poster", "replay"), weight=2),
    _row("casual", "asides",
    r"^\W*(?:who|what) are you\W*$|^\W*what can you do\W*$|^\W*are you (?:there|real|human|a bot|an ai|a robot)\W*$"
    r"|^\W*(?:(?:sorry|oops|oh|nah|ok|no)\W+)*(?:wrong (?:window|chat|channel|tab)|never ?mind|forget it)\W*$"
    r"|^\W*you were right\b[^.!?\n]{0,40}\W*$",
         ("what can you do?", "oops, wrong window", "Nah, forget it"),
         ("what can you do about the bug", "wrong tab width")),
    _row("casual", "jokes",
    r"^\W*(?:please |can you |could you )?tell (?:me|us) (?:a|another|one more) (?:\w+ )?(?:joke|riddle|pun"
    r"|fun fact)\b[^.!?\n]{0,40}\W*$",
         ("tell me a joke", "Tell me another joke about cats!"), ("tell me a story", "he tells a joke")),

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

# Rules that match verbs of every kind of work ("write", "make", "update"). Alone they are no sign of a category.
COMMON_VERBS = frozenset({"coding.change", "coding.acts"})
ASKING = frozenset({"research.asks", "research.question"})  # signs that a message asks, whatever about
