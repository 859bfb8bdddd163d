"""Rules for messages that ask for a list of memories instead of one answer, such as "What do you know about me?".

A rule of `UNDATED` (or of `listings_by_date`) recognises such a request. Its signal is the scope of the list: the
user, something of the user's, all memories, the memories of a topic, or the time that the message names. A rule of
`KINDS` narrows the list to memory types. Patterns are matched on lower-case ASCII (see `matching.fold`).
"""

from __future__ import annotations

from collections.abc import Mapping

from brain.types import MEMORY_TYPES, MemoryType
from cognitive.preflight.rules.matching import Rule

# Scopes. A list by topic needs a topic or a memory type, a list by date needs a range of time.
USER, MINE, ALL, TOPIC, DATED = "user", "mine", "all", "topic", "dated"

# The memory types of a scope or kind, in order of preference: later groups are listed if the earlier ones have nothing.
# Conversations are episodes, so a decision may be found there too. Lists by topic or date have the types of `ALL`.
Groups = tuple[tuple[MemoryType, ...], ...]
TYPES: Mapping[str, Groups] = {
    USER: (("fact", "episode"), MEMORY_TYPES),
    MINE: (("fact", "episode"), MEMORY_TYPES),
    ALL: (MEMORY_TYPES,),
    "decision": (("decision",), ("episode",)),
    "procedure": (("procedure",),),
    "fact": (("fact",), ("episode",)),
    "episode": (("episode",), MEMORY_TYPES),
}

_ASK = r"(?:what(?:'?s|'ve)?|which|everything|anything|all|things|stuff|facts|how much)"
POLITE = (
    r"^\W*(?:(?:please|can|could|would|will|you|now|ok|okay|so|hey|and|just|quickly|let's|i want|i need|i'd like|to)"
    r"\W+)*"
)
_SHOW = (
    rf"{POLITE}(?:list|show|name|enumerate|print|display|recite|(?:give|tell|read|remind) (?:me|us))"
    r"(?: (?:me|us|out|back|of))*"
)
_ALL_OF = (
    r"(?: (?:about|of|what are|which are|the (?:full |complete )?list of|an? (?:list|overview|summary) of|all(?: of)?"
    r"|every|everything))"
)
_DETERMINERS = (
    r"(?: (?:all|every|everything|each|any|the|a|an|of|full|complete|entire|whole|list|overview|summary|rundown"
    r"|current|existing|stored|saved|known|open|recent|latest|past|previous|last|few|\d+|about|what are|which are))*"
)
_PLURAL = r"(?:decisions|runbooks|playbooks|procedures|how-?tos|checklists|workflows|facts|memories)"
_HELD = (
    r"(?:\w+ed|been|begun|bought|built|done|eaten|found|lost|met|paid|read|seen|sent|sold|spent|won|have|has|had|got"
    r"|own|use|used|run|know|keep|kept|saved?|stored?|remember|made?|taken?|learn(?:ed|t)?|agreed?"
    r"|maintain|document(?:ed)?|wrote|written|record(?:ed)?|noted?|set up|set|put|hold|given?|gave)"
)

UNDATED = (
    Rule(
        "listing.about_user", USER,
        rf"\b(?:{_ASK}|info|information|summary|overview|notes?|profile|summari[sz]e|describe|tell me)\b[^.?!]{{0,60}}"
        r"\b(?:about|on|of|regarding|concerning) (?:me|myself)\b",
        examples=("What do you know about me?", "everything you have on me", "give me a summary about me",
                  "tell me about myself", "what have I told you about myself"),
        counterexamples=("What do you know about mercury?", "take a picture of me", "it depends on me"),
    ),
    Rule(
        "listing.everything_on", ALL,
        r"\b(?:anything|everything|whatever|all|something|what(?:'s| is) there|notes?) "
        r"(?:about|on|regarding|concerning|related to|to do with|around)\b"
        r"|\bwhat(?:'s| is) (?:going on|happening|up|new) with\b"
        r"|\b(?:brief|update|tell) (?:me|us) (?:all about|about (?:my|our)|on)\b"
        r"|\bfill (?:me|us) in on\b"
        r"|\b(?:what|everything|anything)(?: that)? (?:do |have )?(?:we|you|i)(?:'ve)? (?:have |do )?"
        r"(?:have|got|know|hold|keep) (?:on|about|for|regarding)\b"
        r"|\b(?:the )?(?:latest|news|update|status|situation) (?:on|about|of|with|regarding)\b",
        examples=("anything about the car?", "Tell me everything on the holiday plans", "any notes on Anna",
                  "fill me in on the staff", "what do we have on the launch?", "what's the latest on the roof",
                  "What do we know about the bakery?", "everything we've got on the Ames order"),
        counterexamples=("the talk about the car", "where can I get information on Perl?", "put everything in the car",
                         "turn on the light", "tell me about the pets you have"),
    ),
    Rule(
        "listing.who_belongs", MINE, r"\bwho(?:'s| is| are| all is| else is)? (?:in|on|part of) (?:my|our)\b",
        examples=("who's in my family", "who is on our team?"),
        counterexamples=("who is my boss", "who sat in our car yesterday"),
    ),
    Rule(
        "listing.about_mine", MINE,
        rf"\b{_ASK}\b[^.?!]{{0,40}}\b"
        r"(?:you|told|tell|mentioned|said|record|file|memory|memories|stored|noted)\b[^.?!]{0,30}\b"
        r"(?:about|on|regarding|concerning) (?:my|our)\b"
        r"|\bwhat(?:'s| is| are) (?:my|our)(?: \w+)? "
        r"(?:info|information|details|data|records?|background|situation|routine|schedule)\b",
        examples=("What have I told you about my family?", "What's on record about my health?",
                  "what's my medical info?",
                  "tell me what you know about our servers"),
        counterexamples=("what do you know about servers?", "what is this thing on my arm"),
    ),
    Rule(
        "listing.who_am_i", USER,
        r"\bwho (?:am i|do you think i am)\b|\bdescribe me\b|\bmy profile\b|\bdo you know me\b",
        examples=("who am I?", "Describe me", "show my profile"),
        counterexamples=("who am us", "do you know Mel?", "describe metals"),
    ),
    Rule(
        "listing.remembered", ALL,
        rf"\b{_ASK}\b[^.?!]{{0,50}}\byou(?:'ve| have| already| currently| still| can| do)* "
        r"(?:know|remember(?:ed)?|recall|learn(?:ed|t)|noted?|stored?|saved?|kept|keep|recorded|gathered|collected"
        r"|have (?:about|on))\b",
        examples=("what do you know?", "What do you remember about Anna?", "everything you've stored",
                  "What are all the things you remember?", "what have you learned so far",
                  "what do you know about photosynthesis?"),
        counterexamples=("do you know what time it is?", "what do you think about it?", "all you need to know",
                         "what do you have for lunch"),
    ),
    Rule(
        "listing.in_memory", ALL,
        rf"\b{_ASK}\b[^.?!]{{0,30}}"
        r"\b(?:on record|on file|in (?:your|the|my|our) (?:memory|memories|notes|records|knowledge base))\b"
        r"|\b(?:your|my|our) (?:memories|stored memory|saved memory)\b",
        examples=("What's on record about my health?", "what is in your memory", "show your memories"),
        counterexamples=("what is memory", "write it on file cards", "in memory of the old days"),
    ),
    Rule(
        "listing.told", ALL,
        rf"\b(?:{_ASK}|who|whom)\b[^.?!]{{0,30}}\b(?:i|we)(?:'ve| have| had)?(?: ever| already| just)? "
        r"(?:told|tell|mention(?:ed)?|said|say|shared?|taught|talk(?:ed)?|discuss(?:ed)?|spoken?|cover(?:ed)?"
        r"|chat(?:ted)?)(?: you| us| to you| with you)?"
        r"(?:\W*$| (?:about|on|of|last|yesterday|in|so|regarding|from|since|this|today|during|the|earlier|between"
        r"|over|and)\b)",
        examples=("What have I told you about my family?", "what did I tell you on Tuesday", "what have we discussed",
                  "everything I said about the garden"),
        counterexamples=("what should I say to him?", "I said what I meant", "what did I tell you to call me?"),
    ),
    Rule(
        "listing.decided", ALL,
        rf"\b(?:{_ASK})\b[^.?!]{{0,30}}\b(?:decided?|agreed?(?: on| to| upon)|settled? on|concluded|resolved)\b",
        examples=("What have we decided so far?", "what was decided?", "everything we agreed on"),
        counterexamples=("decide what to wear", "which of them is undecided", "I decided to stay"),
    ),
    Rule(
        "listing.so_far", ALL, rf"\b{_ASK}\b[^.?!]{{0,40}}\b(?:we|i|us|our|been|happened)\b[^.?!]{{0,30}}\bso far\b",
        examples=("what have we done so far", "everything we have built so far"),
        counterexamples=("what is the best movie so far", "so far so good"),
    ),
    Rule(
        "listing.lately", ALL,
        r"\bwhat\b(?:'s| has| have| had| did)* (?:i|we|my|our|been|happened)\b[^.?!]{0,40}"
        r"\b(?:lately|recently|these days|last time|since (?:we|i) last)\b",
        examples=("What have I been up to lately?", "what has happened since we last spoke?",
                  "what did we do last time", "what happened recently"),
        counterexamples=("what have you been reading lately?", "the movies of late", "recently I moved"),
    ),
    Rule(
        "listing.recap", ALL,
        rf"{POLITE}(?:catch me up|(?:get|bring) me up to (?:speed|date)|fill me in(?:\W*$| on\b)"
        r"|what (?:did|have) i miss(?:ed)?|where (?:were|are) we|where did (?:we|i) (?:leave off|stop)"
        r"|what(?:'s| has) been (?:going on|happening)|status(?: update| report)?(?: please)?\W*$"
        r"|(?:give me )?(?:an? )?(?:quick |short |brief )?(?:recap|rundown|debrief)\W*$)",
        examples=("catch me up", "what did I miss?", "Where did we leave off?", "please give me a quick recap"),
        counterexamples=("recapture the lead", "where are the keys", "fill me in the form"),
    ),
    Rule(
        "listing.overview", ALL,
        rf"{POLITE}(?:(?:give|show|tell) (?:me|us) )?(?:an? |the )?(?:\w+ )?"
        r"(?:summar(?:y|i[sz]e)|overview|recap|review|list|show|rundown)\b[^.?!]{0,20}"
        r"\b(?:everything|all|what|anything|our|my)\b[^.?!]{0,30}"
        r"\b(?:we|i|you|so far|conversations?|discussions?|chats?|talks|sessions|progress|memor(?:y|ies)|decisions)\b",
        examples=("Give me an overview of everything you've stored.", "summarize our conversations",
                  "review what we did"),
        counterexamples=("summarize all of Hamlet", "list all prime numbers", "write an overview"),
    ),
    Rule(
        "listing.own", TOPIC,
        rf"{POLITE}(?:list|show|name|enumerate|print|display|recite|summari[sz]e|recap|review|outline|sum up|go over"
        rf"|run through)(?: (?:me|us|out))*{_DETERMINERS}(?:(?: \w+){{1,3}} (?:in|on|of|from|for|about|with))? "
        r"(?:my|our)\b"
        rf"|{POLITE}(?:give|tell|read|remind) (?:me|us){_ALL_OF}{_DETERMINERS} (?:my|our)\b"
        rf"|{POLITE}all (?:(?:of )?(?:my|our)|(?:the )?known)(?: \w+)? \w*[^\Ws]s"
        r"(?:\W*$| (?:and|with|of|for|from|since)\b)",
        examples=("list my allergies", "show me all our suppliers", "give me the list of my open bills",
                  "remind me of all my appointments", "all our leases and when they end",
                  "All known faults of the printer"),
        counterexamples=("list three cities in France", "remind me to call mum", "show me how my car works",
                         "tell my bank that I am in Canada", "tell me my car's age", "all prime numbers below 100",
                         "all my life I wanted to sail", "all my tests fail", "all our tests pass in CI",
                         "all open ports on linux"),
    ),
    Rule(
        "listing.types", TOPIC, rf"{_SHOW}{_DETERMINERS} {_PLURAL}\b",
        examples=("List all decisions", "show me the runbooks", "list decisions"),
        counterexamples=("list all prime numbers", "decisions are hard", "give me a fact"),
    ),
    Rule(
        "listing.state", TOPIC,
        r"\bhow(?:'s| is| are| was| were)(?: all)? our\b[^.?!]{0,40}"
        r"\b(?:look(?:ing)?|do(?:ing)?|going|coming along|getting on|developing|progressing)\b"
        r"|\bhow are we (?:doing|placed|fixed|off|set|getting on) (?:for|on|with|in)\b|\bstate of play\b"
        r"|\bwhere (?:do|are) (?:we|i) (?:stand|at) (?:with|on)\b|\bhow far (?:are|have) we\b"
        r"|\bwho (?:all )?(?:works|lives) here\b",
        examples=("how are our cloud costs looking", "how are we doing for money",
                  "what's the state of play with hiring",
                  "who works here?"),
        counterexamples=("how are you doing?", "how is my parcel doing", "where do they stand on tax"),
    ),
    Rule(
        "listing.worth_knowing", TOPIC,
        r"\b(?:what|which|anything|something|everything|things|all)\b[^.?!]{0,30}\b"
        r"(?:i|we|newcomers|a new(?: \w+){1,2}) (?:need to|should|have to|must|ought to) "
        r"(?:know|remember|keep|watch|be aware|look out|mind|bear|consider)\b",
        examples=("What dates do I need to keep an eye on?", "anything I should know about the children's needs"),
        counterexamples=("I need to know the time", "what should I cook?"),
    ),
    Rule(
        "listing.have_any", TOPIC,
        r"\b(?:do|did|have) (?:i|we) (?:(?:have|got|had|know|remember|recall) )?any\b"
        r"|\bany (?:\w+ )?(?:open|outstanding|pending|remaining|upcoming|unresolved) \w+s\b",
        examples=("do I have any allergies?", "do we have any rules about that", "any open questions?"),
        counterexamples=("does it have any effect", "any idea?", "do you have any tips for tonight?"),
    ),
    Rule(
        "listing.latest_of_type", TOPIC,
        r"\b(?:last|latest|most recent|newest)(?: \w+)? (?:decisions?|runbooks?|procedures?|notes|memories)\b",
        examples=("what were our last three decisions?", "the most recent decision"),
        counterexamples=("the last train", "make a recent decision tree"),
    ),
    Rule(
        "listing.everything", ALL,
        rf"{_SHOW} (?:everything|all of it|it all)\W*$"
        r"|\b(?:asked|told|wanted) you to (?:remember|note|keep in mind|store|save)\b"
        r"|\bwhat(?:'s| is) still (?:open|pending|outstanding|to do|unresolved)\b",
        examples=("show me everything", "the things I asked you to remember", "what is still open?"),
        counterexamples=("show me everything about cats", "what is open on Sundays", "remember to keep it"),
    ),
    Rule(
        "listing.recent", ALL,
        r"\b(?:last|latest|recent|newest)(?: few| couple of| \d+| two| three| five| ten)? "
        r"(?:things that happened|events|activity|activities|entries|happenings|developments)\b"
        r"|\b(?:our|my|the) last (?:conversation|chat|discussion|talk|session|meeting|call)\b",
        examples=("Show recent activity", "show me the last few things that happened",
                  "what was our last meeting about?"),
        counterexamples=("the latest train", "recently active"),
    ),
    Rule(
        "listing.any_of_type", TOPIC,
        rf"\bany(?: \w+)? {_PLURAL}\b"
        r"|\b(?:do|have) (?:i|we|you) (?:have |got )?(?:an?|some) (?:\w+ )?"
        r"(?:runbook|playbook|procedure|checklist|workflow|recipe)s?\b"
        rf"|{_PLURAL} so far\b|^\W*(?:all |the |our |my )*{_PLURAL}\W*(?:please)?\W*$",
        examples=("any decisions made in february?", "do we have a runbook for that?", "decisions so far?",
                  "do you have any runbooks?"),
        counterexamples=("decisions are hard", "any decision"),
    ),
    Rule(
        "listing.saved", TOPIC,
        rf"{_SHOW} (?:all|every|everything|the|any|anything|things|stuff)\b[^.?!]{{0,30}} "
        rf"(?:(?:i|we)(?:'ve| have| had)? {_HELD}"
        r"|you(?:'ve| have)? (?:know|remember|saved?|stored?|noted?|kept|recorded))\b",
        examples=("show me all the recipes I saved", "list everything we agreed", "list the services we run"),
        counterexamples=("show me how we use it", "list the rivers of France", "tell me what name you have for me"),
    ),
    Rule(
        "listing.which", TOPIC,
        r"\b(?:what|which|how many)(?: (?:kinds|sorts|types) of)?(?: \w+){0,3} "
        r"(?:\w+s|people|children|staff|media|criteria) (?:do|did|have|had) (?:i|we|you)"
        rf"(?: (?:currently|already|all|now|still|ever|been))* {_HELD}\b",
        examples=("which runbooks do we have?", "What meetings did I have last week", "which services do we run",
                  "what procedures do you know"),
        counterexamples=("what does she have", "which database do we use", "how many do they sell"),
    ),
    Rule(
        "listing.what_are", TOPIC,
        r"\bwhat (?:are|were)(?: all)?(?: of)? (?:my|our)(?: \w+){0,2} (?:\w+s|people|children)\b"
        r"|\bwhat (?:my|our)(?: \w+){1,3} are\b",
        examples=("What are my preferences?", "remind me what our goals are", "what are all our house rules"),
        counterexamples=("what are primes", "what is my name"),
    ),
    Rule(
        "listing.there_are", TOPIC,
        rf"\b(?:what|which)(?: \w+){{0,2}} {_PLURAL} "
        r"(?:are there|exist"
        r"|(?:are|were|have been) "
        r"(?:made|stored|known|saved|written|documented|recorded|on record|on file|available|in place|defined|set up"
        r"|noted))\b"
        rf"|\bwhat (?:are|were) (?:all )?(?:the|your)(?: \w+){{0,2}} {_PLURAL}\b",
        examples=("which runbooks are there?", "what decisions were made", "What procedures are written down?",
                  "what were the main decisions"),
        counterexamples=("which planets are there", "what decisions will they make"),
    ),
)  # fmt: skip

KINDS = (
    Rule(
        "listing.decisions",
        "decision",
        r"\b(?:decisions?|decided?|agreed?(?: on| to| upon)|agreements?|settled? on|resolved|resolutions?|agreed?)\b",
        examples=("list all decisions", "what have we agreed on so far", "what did we decide yesterday"),
        counterexamples=("what do you know about decimals?", "list my degrees"),
    ),
    Rule(
        "listing.procedures",
        "procedure",
        r"\b(?:runbooks?|playbooks?|procedures?|how-?tos?|checklists?|workflows?|recipes?|guides|routines"
        r"|instructions)\b",
        examples=("which runbooks do we have?", "list my recipes"),
        counterexamples=("list my receipts", "which books do we have?"),
    ),
    Rule(
        "listing.facts",
        "fact",
        r"\bfacts?\b",
        examples=("list all facts", "what facts do you know?"),
        counterexamples=("list my factories",),
    ),
    Rule(
        "listing.talk",
        "episode",
        r"\b(?:talk(?:ed)?|discuss(?:ed)?|conversations?|discussions?|chat(?:s|ted)?|spoken?|leave off|where were we"
        r"|happened|lately|recently|last time|been up to|episodes?)\b",
        examples=("what have we discussed so far", "summarize our conversations", "what have I been up to lately?"),
        counterexamples=("list my chattels", "what do you know about disks?"),
    ),
)
