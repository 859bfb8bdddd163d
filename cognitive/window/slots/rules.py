"""Rules that recognise prohibitions and decisions in English."""

from __future__ import annotations

from cognitive.window.slots.patterns import DATE, NAME, START, SlotRule

RULES = (
    # --- prohibitions ---
    SlotRule(
        "prohibition",
        "imperative",
        3,
        rf"{START}(?:do not|don'?t|never|not to)\s+(?:ever |you |let (?!me\b))*"
        r"(?!(?:worry|mind|know|think|care|need|have|want|forget|bother|panic|hesitate|see|understand|remember|recall"
        r"|believe|even|really|like|love|hear|feel|mean|seem|laugh|sweat|expect|say|had|been|was|were|again|got"
        r"|ask me (?:why|how|what)|be (?:sorry|silly|shy|too|so|mean)|get me|make me|tell me|you|do that thing)\b)"
        r"[a-z][\w-]*\s+(?!(?:me|now|it|that|us)[.!]*$|(?:it|that|this) now\b)\S+(?!.*\bnow[.!]*$)",
        (
            "Don't paint the garage door.",
            "Please do not call my mother about the party.",
            "So: never mail the raw list to the printers, not even once",
            "and don't ever let the cat into the studio",
        ),
        (
            "I don't paint much.",
            "Don't worry about the door.",
            "Don't know yet.",
            "We never painted it.",
            "don't ask me why it works",
        ),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "not_allowed",
        3,
        r"\b(?:must not|mustn't|may not|shall not|shan't|ought not|(?:is|are|am|was|be)(?: not|n't) (?:allowed"
        r"|permitted"
        r"|supposed) to|'(?:s|re) not (?:allowed|permitted|supposed) to|(?:is|are)(?: not|n't) to (?:be )?\w+"
        r"|(?:you're|you are|they're|they are|he's|she's|it's) not to \w+|not to be (?:\w+ed|shown|sold|sent|given"
        r"|seen|cut|put)|(?:forbidden|prohibited|banned|off[- ]limits|no-go)\b"
        r"|off the table|out of the question|not an option|under no circumstances|on no account"
        r"|under any circumstances|(?:not|n't) allowed\b|hands off\b|(?:strictly|absolutely"
        r"|definitely) no\b(?! (?:idea|problem|way|clue))"
        r"|(?:make sure|ensure|see to it|take care"
        r"|\bit(?:'s| is) (?:\w+ )?(?:essential|crucial|critical|vital|important))"
        r"\b.{0,60}\b(?:never|not|no|nobody|nothing)\b|\blet(?:'s"
        r"| us) not (?!get\b)\w+"
        r"|\bwant (?:nobody|no one|nothing|no)\b"
        r"|should(?: not|n't) (?!(?:take|be (?:a|any|too|long|hard|difficult)|hurt|matter|cost|need|have (?:\w+ed"
        r"|been|gone|done|eaten|said|had|come|taken))\b)\w+"
        r"|\bnever (?:ever )?again\b|^(?:and |but |so )?not a (?:word|single|penny|cent)\b"
        r"|\b(?:can't|cannot|can not) (?:\w+ ){1,8}(?:without|before|until|unless)\b"
        r"|only (?:ever )?allowed to\b)",
        (
            "The old ledger must not leave the office.",
            "Visitors aren't allowed to feed the goats.",
            "The attic is off limits for the children.",
            "Under no circumstances will I sign that.",
            "It is essential that the vault is never opened.",
        ),
        ("That shouldn't take long.", "It may take a while.", "Is it allowed there?"),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "nobody_before",
        3,
        r"(?<!if )\b(?:nobody|no one|no-one|nothing|none of (?:us|you|them|it))\s+(?!(?:had|was|were|knew|could|did"
        r"|said|left|new"
        r"|much|else|happened|really|can|seems?|likes?|wants?|knows?|cares?|odd|unusual|special|wrong|is (?:on"
        r"|wrong))\b)"
        r"(?:(?:is|are) (?:to|allowed)\b|(?:may|must|should|shall|touches|gets|goes|enters|leaves|signs|talks)\b"
        r"|(?:[\w']+ ){0,12}?(?:before|until|unless|without|except|outside|other than)\b|but (?-i:[A-Z]))",
        (
            "Nobody opens the kiln before it has cooled down",
            "nothing leaves the warehouse without a slip",
            "No one is to touch the piano.",
        ),
        ("Nobody could see the slides before lunch.", "Nothing unusual before noon.", "nobody knows"),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "permission_first",
        3,
        rf"{START}(?:(?:ask|tell|warn|ping|consult|call) (?:the )?\w+|(?:check|confirm|clear it|talk|speak)"
        r" (?:with|to) (?:the )?\w+|let \w+ know|run it (?:by|past) \w+)(?: first)?,? before"
        r" (?:(?:you|we) (?!(?:go|leave|come|sleep|eat|arrive|head|hang)\b)\w+|any(?:one|body)\b|\w{2,}ing\b) \w+",
        (
            "Ask me before you touch the sails.",
            "Let me know before we book the van",
            "Check with Ida before ordering tiles.",
        ),
        ("Ask me before lunch.", "Call me before you go to bed.", "Let me know what you think before you order it."),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "no_such_thing",
        2,
        rf"{START}no (?:more )?(?!(?:idea|problems?|worries|errors?|reply|answers?|clue|wonder|news|need|rush|hurry"
        rf"|doubt"
        r"|way|thanks|signs?|changes?|luck|chance|one|matter|longer|trace|loss|issues?|complaints?|alerts?|results?"
        r"|events?|offence|harm|surprises?|warnings?|thank|not|it|i|we|you|that|he|she|they|need|the|packet|pressure"
        r"|match|matches|entry|entries|sooner|point|reason|difference|drama|excuses?|later|less|more|better|bookings?"
        r"|conflicts?|sweat|biggie|kidding|joke|further|other|such)\b)(?:[a-z-]+ ){1,4}(?:before|after|without|until"
        r"|unless"
        r"|on|during|in|over|under|at|from|to|for|near|with|this|any ?more|please)\b"
        rf"|{START}no [\w -]+, (?:and )?no [\w -]+(?:,|\.|!|$)|^(?:and |but |so |oh and )no (?!(?:idea|problem|one"
        rf"|worries|it|i|we)\b)[a-z]+,"
        rf"|{START}(?:skip|leave out|omit|exclude|spare) (?:the|my|his|her|our|any|all)\b",
        ("No deliveries on Sundays.", "ok so no visitors before ten", "No nuts in the birthday cake please"),
        ("No idea what it is for.", "No errors in the last hour.", "no problem for me"),
    ),
    SlotRule(
        "prohibition",
        "stay_away",
        2,
        r"\b(?:(?:stay|keep|steer|hold) (?:away|clear|out|off)\b|leave .{2,40} (?:alone|untouched|as (?:it"
        r"|they) (?:is|are))"
        r"|keep (?!\w+ing\b).{2,50} (?:out of|off|away from|secret|confidential|private|between us|to (?:yourself"
        r"|ourselves))\b"
        r"|refrain from|(?:is|are|'m) allergic to|(?:i|we|he|she|they|you|[A-Z]\w+) (?:can't|cannot|can not|must not)"
        r" (?:eat|have|take|tolerate|use|serve|allow|accept|share|send|put|drink|travel|work|lift|drive) (?!it\b"
        r"|that\b|any more)\w+)"
        rf"|{START}(?:avoid|stop) \w+ing\b",
        ("Keep the price out of the brochure.", "Leave the oak alone.", "Tomasz is allergic to walnuts."),
        ("Keep me posted.", "He left early.", "Leave it with me"),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "our_rule",
        2,
        r"\b(?:i|we) (?:do not|don't|never) want (?:you|any\w*|us|them|him|her|this|that|it|the|people)\b"
        r"|\bwe (?:never|no longer) (?!(?:\w+ed|had|got|did|knew|found|saw|said|know|have|see|went|came|heard)\b)\w+"
        r"|\bwe (?:do not|don't) (?!(?:know|have|need|think|want|see|really|even|mind|care|understand|get|believe"
        r"|seem|use"
        r"|usually|always|yet)\b)\w+ \w+"
        r"|\b(?:is|are|'re|'s) (?:not|no longer) (?:getting|having|using|inviting|taking|selling|sharing)\b"
        r"|\b(?:won't|will not) be (?:using|taking|selling|sharing|offering|serving|inviting|needing|paying|doing"
        r"|accepting)\b"
        r"|\b\w+ (?:does not|doesn't|do not|don't) (?:get|go|leave|enter|touch|see|receive|come|change|happen"
        r"|move)\b.{0,80}"
        r"\b(?:before|until|without|unless|any ?more|with any\w+|to any\w+)\b"
        r"|\bonly (?:[\w']+ ){1,3}(?:may|is allowed|are allowed|is to|are to)\b|\b(?:may|must|should) only\b"
        r"|\b(?:would|'d) rather (?:you |we |they |he |she |it )?(?:did not|didn't|not)\b",
        (
            "We don't lend out the van.",
            "I don't want anyone in the lab on Monday.",
            "Only Pilar may open the safe.",
            "The crates don't leave the yard before they are weighed.",
        ),
        ("We don't know that yet.", "We never saw it.", "I don't want to go."),
        assistant=1,
    ),
    SlotRule(
        "prohibition",
        "cannot",
        1,
        r"(?<!\bi )\b(?:can't|cannot|can not|shouldn't|mustn't|doesn't|don't|won't) (?:\w+ )?(?:be|come|go|have|get"
        r"|enter|leave|allow|use"
        r"|take|touch|talk|know|see|sit|stay|drive|eat|drink|work|bring|share|join)\b.{12}|\bleft? .{2,40} out of\b",
        ("Minors can't come in after nine, that's the licence.",),
        ("I can't come.",),
    ),
    # --- decisions ---
    SlotRule(
        "decision",
        "decided",
        3,
        r"(?<!not )(?<!n't )(?<!never )(?<!yet )\b(?:decided|agreed|settled (?:on|for|it|that|this)|signed off on"
        r"|opted|chosen|chose|picked|plumped for|voted)"
        r"\b(?! yet)|\b(?:decision|verdict|agreement|choice|ruling|upshot|rule|default|policy|convention|standard"
        r"|arrangement|deal|root cause|culprit|plan(?= is to\b|:))\b(?: \w+){0,3}(?: is\b| was\b|:)"
        r"|\b(?:it's|it is|that's|that is) (?:decided|settled|final|official|agreed|a done deal)\b"
        r"|\bfinal(?: answer)?\b(?=:|\b.{0,3}$)|(?:^|, )(?:settled|always|new rule)[.!]*$|^(?:so )?in the end\b"
        r"|\bin the end\b(?=[,.]|$)"
        r"|\b(?:has|have|was|were|is|are|been|got) (?:finally |now |just )?(?:approved|signed off|rejected|postponed"
        r"|scrapped|selected|called off)\b|\bgo-ahead\b|\bgreen light\b|\bmade up (?:my|our) minds?\b"
        r"|\b(?:option|plan|version|variant|proposal) (?-i:[A-Z]|\d|one|two|three)\b|\bgone for (?:the|a)\b",
        ("We agreed on the green tiles.", "The decision is: two classes, not three.", "The extension was approved."),
        ("We haven't decided yet.", "Not decided."),
        assistant=2,
    ),
    SlotRule(
        "decision",
        "go_with",
        3,
        r"\b(?:we're|we are|i'm|i am|we'll|we will|i'll|i will|let's|let us|we|we've|i've)\s+(?:now |just |all "
        r"|definitely "
        r"|therefore |simply |finally )*(?:going|gone|go|stick|sticking|stay|staying|settle|settling|rolling|roll"
        r"|running)(?! on\b)\s"
        r"+(?:with|to stick|on(?!\s+to)|at|ahead with|to go with|for(?! (?:lunch|coffee|a walk|a run|dinner|drinks"
        r"|home|it))"
        r")\b|\b(?:stick|keep)(?:ing)? to (?!it\b|the right|the left)|\bit's going to be\b|\b[\w-]+ it is[.!]*$"
        r"|\bthat's (?:what|how|where|when|the one) (?:we|i)(?:'re|'ll| are| will)?\b(?! (?:meant?|said|thought"
        r"|wanted|was))"
        r"|^(?:ok(?:ay)?,? |so,? |right,? |then,? )*(?:killing|dropping|scrapping|skipping|cutting|keeping|switching"
        r"|moving"
        r"|postponing|cancelling|canceling|parking|freezing|ditching|choosing|picking|taking) (?:the|our|all|to|my)\b"
        rf"|\b(?:goes|go|are going|is going|'re going) to (?:the )?{NAME}"
        r"|\bgo(?:es)? with (?:the|option|plan|version)\b",
        ("ok we're going with the oak floor then", "Let's stick with Thursdays.", "Blue it is!"),
        ("I'm going to grab lunch.", "We're going for a walk."),
        assistant=1,
    ),
    SlotRule(
        "decision",
        "from_now_on",
        3,
        rf"\bfrom (?:now|here|then|this point) on\b|\bgoing forward\b|\bhenceforth\b|\b(?:from|as of|starting"
        rf"|effective|beginning)(?: from| on| in)?"
        rf" (?!(?:19|20)\d\d\b)(?:today|tomorrow|next \w+|immediately"
        rf"|(?:the )?{DATE})(?: on(?:wards)?)?\b(?!.{{0,20}}\b(?:to|until|till)\b)"
        r"|\bin future,|\b(?:every time|whenever)\b.{3,60}, (?:please|always|you|use|put|send)\b"
        rf"|{START}always (?!\w+s\b)\w+ \w+|\bas (?:you )?(?:asked|agreed|decided|requested|instructed|wished"
        rf"|discussed)[,:]",
        (
            "From now on the keys stay with Bo.",
            "As of March the club meets upstairs.",
            "Always sign with my full name.",
            "As agreed, the choir rehearses in the hall.",
        ),
        ("It is open from Monday to Friday.",),
        assistant=2,
    ),
    SlotRule(
        "decision",
        "reminder",
        3,
        r"^(?:and |also |oh |please )*(?:(?:(?:remember|note|nb|important|(?:keep|bear) in mind|make a note"
        r"|for the record)(?:: ?| that (?!(?:time|day|one|thing|guy|night|song)\b))|for the record, "
        r"|(?:keep|bear) in mind )\w+ \w+|make sure (?:[\w-]+ ){1,3}(?:is|are|has|have|stays?|gets?|goes)\b)",
        (
            "Remember: the client wants Danish replies.",
            "Keep in mind the hall closes early.",
            "For the record, Jo signs last.",
            "Please make sure replies are in German.",
        ),
        (
            "Remember that time in Oslo?",
            "I remember that day.",
            "Please note the attached file.",
            "It's important to me.",
        ),
    ),
    SlotRule(
        "decision",
        "instead",
        3,
        r"\b(?:we|we'll|we're|we've|let's|i|i'll|i'm|us|they|they'll)\b.{2,120}\b(?:instead|rather than"
        r"|in favou?r of)\b",
        ("We take the ferry instead of the tunnel.", "I'll have it framed rather than laminated."),
        ("Why is it blue instead of green?",),
        assistant=1,
    ),
    SlotRule(
        "decision",
        "we_do",
        2,
        rf"{START}we(?:'re| are) (?!(?:having|getting|waiting|running|looking|trying|sitting|being|talking|thinking"
        rf"|wondering|hoping"
        r"|coming|leaving|going|missing|working|seeing|expecting|nothing|dying|freezing)\b)\w{2,}ing \w+"
        rf"|{START}(?:we|let's|let us)(?:'ll| will|'re| are|'m| am|'re going to| are going to| shall)? (?:now |just "
        rf"|definitely "
        r"|therefore |always |simply |all )*(?:drop|keep(?! \w+ing)|take(?! (?:it|that|a (?:look|break|nap|walk"
        r"|shower|seat|closer)))|use|switch|move|stay|skip|cancel|ship|buy|rent|hire"
        r"|freeze|raise|cut|stop|book|pick|choose|postpone|delay|push|split|merge|replace|retire|scrap|ditch|launch"
        r"|order"
        r"|renew|migrate|adopt|require|accept|reject|decline|invite|hold|meet|close|sell|paint|plant|serve|limit"
        r"|double"
        r"|halve|make|put|set|call it|name|leave|charge|pay|offer|print|publish|record|store|archive|allow|do (?:a"
        r"|the|no|only)|(?:tak|us|mov|rais|choos|postpon|replac"
        r"|retir|merg|freez|clos|mak|leav|charg|stor|invit|hir)ing)(?:p?ping|t?ting|ing)?\b",
        ("We drop the second course.", "so we'll rent the smaller hall", "Let's keep the old logo."),
        ("Can we keep it?", "We keep getting letters.", "Let's see."),
        assistant=1,
    ),
    SlotRule(
        "decision",
        "we_will",
        2,
        rf"{START}(?:we'll|we will|we'd|we use|we always) (?!(?:see|want|talk|be|find|get|probably|manage|never|know"
        rf"|need|try|think|look)\b)"
        r"\w+ (?!(?:it|that|you|them)\b)",
        ("We'll drive up on the Thursday and take the coast road.",),
        ("We'll see about that.",),
    ),
    SlotRule(
        "decision",
        "will_not",
        2,
        r"\b(?:i|we) (?:won't|will not|shan't|shall not) (?!(?:be|lie|say|mind|know|forget|bother|worry|see|get|need"
        r"|make|pretend|deny|go into|bore|keep you|have|understand|believe|miss|hear|find|even|really|ever)\b)"
        r"\w+ (?!(?:it|that|you)[.!]*$)\w+"
        r"|\b(?:i'm|i am|we're|we are) not going to (?!(?:be|lie|say|pretend|deny|bore|make|get|have|even)\b)"
        r"\w+ (?!(?:it|that|you)[.!]*$)\w+"
        r"|\b(?:(?:isn't|is not|aren't|are not) (?:coming|joining|attending|taking part|going ahead|happening)\b.{0,40}"
        r"\bany ?more|(?:is|are) no longer (?:coming|joining|attending|taking part|going ahead|happening))\b",
        (
            "We won't renew the gym membership, it's too expensive.",
            "We're not going to print the programme this year.",
            "Tomasz isn't coming to the reunion any more.",
        ),
        ("I won't be long.", "We won't know until Monday.", "I'm not going to lie.", "I won't keep you."),
    ),
    SlotRule(
        "decision",
        "i_will",
        1,
        rf"{START}(?:i'll|i will|i'm|i am) (?:now |just |then )*(?:use|using|take|taking|switch|switching|move"
        rf"|moving|drop|dropping"
        r"|keep(?! an eye)|keeping|book|booking|store|put|make|leave|order|set|call|send|pay|buy|build|write"
        r"|go with)\b(?! (?:it|that)\b)",
        ("I'm switching the newsletter to fortnightly.",),
        ("I'll take it.",),
        assistant=1,
    ),
    SlotRule(
        "decision",
        "changed",
        2,
        r"\b(?:now|no longer) (?:goes|go|reports?|runs?|lives?|belongs?|uses?|requires?|needs?|gets?|handles?|owns?"
        r"|signs?)\b"
        r"|\b(?:goes|go|moves?|switch(?:es)?|changes?) (?:back )?to .{2,60} (?:rather than|instead of)\b"
        r"|\b(?:rather than|instead of) (?:the|to|on|in|at|by|a|an|\d)"
        r"|\b(?:i|we) (?:prefer|would prefer|'d prefer|insist)\b|\binsists (?:on|that)\b"
        r"|\bmust (?!(?:be|have|say|admit|confess|know|see)\b)\w+|\bmust be (?!(?:tired|kidding|mistaken|pleased"
        r"|bored|excited|thrilled|exhausted|joking)\b)(?:\w+ed|kept|sent|done|in|at|on)\b"
        r"|\bwill be (?!(?:disappointed|pleased|excited|tired|bored|relieved|delighted|annoyed|thrilled)\b)(?:\w+ed"
        r"|held|sent|shown|cut|built|sold|paid|kept)\b|\bstays? (?:in|on|at|with|as|the same|put|closed|open"
        r"|off|where|how|\w+[.!]*$)|^(?:every|each|all)\b.{3,60}? (?:needs?|must|gets?|requires?|has to|have to"
        r"|goes?)\b"
        r"|, not (?:in |on |at |the |a |by |with |to )?[\w'-]+[.!]*$",
        ("The newsletter now goes to all members.", "I prefer aisle seats.", "Every form must carry two signatures."),
        ("You must be tired.", "It works now."),
        assistant=1,
    ),
)
