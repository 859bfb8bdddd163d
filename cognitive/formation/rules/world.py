"""Facts about the people, things and projects of the user, which still hold in a month."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import DATE, NAME, OF_A_TASK, OURS, PEOPLE, PRONOUN

# A statement about the world of the user is exact and no praise.
_DETAIL = (
    r"(?=.*(?:\d|/|_|\.[a-z]{2,3}\b|\b(?:only|never|nobody|called|named|set to|except)\b))(?!.*\b(?:best|worst"
    r"|awesome|amazing|incredible|great|beautiful|fun|top-notch)\b)"
)
_STATE = (
    r"(?:is|are|was (?:written|built|made|founded|installed|named)|has|have|takes?|runs?|lives?|stands?|sits?|closes?"
    r"|opens?|accepts?|uses?|needs?|requires?|costs?|contains?|consists?|holds?|breaks?|fails?|handles?|supports?"
    r"|allows?|stores?|expects?|sends?|writes?|reads?|listens?|belongs?|depends?|starts?|ends?|lasts?|measures?"
    r"|weighs?|serves?|covers?|comes?|goes|works?|knows?|owns?|lies|points?)"
)
# What "my" may stand before without a fact behind it: matters of the conversation and of the day.
_PASSING = (
    rf"(?:{OF_A_TASK}|session|day|week|weekend|morning|evening|night|mood|turn|choice|guess|point|opinion|question"
    r"|questions|problem|issue|mistake|bad|apologies|understanding|concern|thinking|idea|order|request|train|bus"
    r"|plane|flight|reservation|booking|meeting|appointment|goal|plan|plans|bet|hope|pleasure|suggestion|impression"
    r"|feeling|favou?rites?|message|preference|last|next|current|first|computer|mind|test|tests|build|budget|dear|god)"
)
# What a person is doing for months; other forms in -ing are of this moment: "my wife is calling".
_FOR_LONG = (
    r"(?:living|working|studying|learning|teaching|training|attending|writing|building|running|expecting|getting|moving"
    r"|turning|retiring|recovering|suffering|caring|raising|dating|seeing|missing|saving)"
)
# What "my aunt" is or does for now.
_OF_NOW = (
    r"(?:is|are|was) (?:here|late|fine|coming|back|on (?:the|his|her)|in (?:the|a) (?:room|mood|hurry|shower|kitchen)"
    rf"|asleep|mad|angry|upset|sick|tired|busy|out|home|very|so|not (?:here|happy)|(?!{_FOR_LONG}\b)\w{{2,}}ing)"
)
# When it is about this day only: "my shift ends in ten minutes".
_SOON = r"(?:.*\b)?(?:today|tonight|tomorrow|soon|in (?:\w+ )?(?:\w+ )?(?:seconds?|minutes?|mins?|hours?))\b"
# What has a value that holds until it is changed.
_VALUED = (
    r"(?:rent|price|fee|rate|salary|wage|premium|budget|limit|quota|timeout|length|capacity|deadline|stand-?up|retro"
    r"|rehearsal|training|practice|lesson|class|course|(?:team|weekly|daily|monthly) (?:meeting|call|sync))s?"
)

RULES = (
    FormationRule(
        "changed_value",
        "fact",
        rf"(?:the |our |my )?(?:[\w'-]+ ){{0,2}}?{_VALUED} (?!.*\b(?:today|tonight|this)\b)"
        r"(?:(?:(?:has |have |is |are |was |were |got |has been )?(?:now )?"
        r"(?:moved|changed|pushed(?: back)?|raised|increased|reduced|lowered|cut|extended)"
        rf"|(?:goes?|went|has gone|is going) (?:up|down)) (?:from (?:\S+ ){{1,3}}?)?to (?!(?:the )?{DATE})(?=[^,]*\d).+"
        r"|(?:is|are) (?:(?:now )?[$€£]?\d\S*(?: [\w%]+)? now\b|now [$€£]?\d).*)"
        r"|(?:the|my|our) (?:[\w-]+ )?(?:database|db|editor|hosting|provider|registrar|bank|insurer|supplier|framework"
        r"|package manager|name) is now (?!(?:up|down|back|ok|fine|ready|full|empty|open|closed|slow|fast|very|too"
        r"|so|not|\w+ed|\w+ing)\b)\w.*",
        (
            "I've raised my rate to 75.",
            "landlord put the rent up again, its 980 now",
            "The standup moved to 10:15.",
            "Rent goes up to 950.",
            "Our ad budget went up from 900 euros to 1,200 euros.",
            "Our line limit is 40 now.",
        ),
        (
            "I will raise my rate to 75.",
            "It moved to 10.",
            "The score is 3 now.",
            "The temperature went up to 30.",
            "Was the rent raised to 900?",
        ),
    ),
    FormationRule(
        "use",
        "fact",
        r"(?:i|we|our \w+|the \w+ team|my (?:team|company|\w+)) (?:now |mostly |mainly |always |do not |use to )?"
        r"(?:use|uses|rely on|run on|runs on|host|hosts|deploy|deploys|store|stores|build|builds) (?!(?:it|this"
        r"|that|them|these|those|the (?:following|same|code|above|command))\b)\w.+"
        r"|(?:it|this|the app|the project|the repo\w*|the service|the site|the system|the code ?base|the backend"
        r"|the frontend|everything) (?:all )?(?:uses|runs on|is (?:written|built|implemented|hosted|deployed"
        r"|based) (?:in|on|with|at)|depends on|relies on) (?!(?:it|this|that)\b)\w.+"
        r"|(?:i|we) call (?:the|our|all|an?) [\w -]{2,30} [\"']\w.+",
        (
            "We use Postgres for the queue.",
            "The backend is written in Go.",
            "This all runs on a modified Debian.",
            "We call the guests 'members'.",
        ),
        ("Should we use Postgres?", "We used those.", "How do I use it?", "We use it."),
    ),
    FormationRule(
        "mine_is",
        "fact",
        rf"our (?!{_PASSING}\b)(?:[\w'-]+ ){{1,4}}(?:{_STATE}|[a-z]{{3,}}s) "
        r"(?!(?:so|give|to|in (?:the )?way)\b|.*\b(?:future|journey|dreams?|motivation|blast|together)\b)"
        r"(?!(?:and|from|of|with|for|on its|is|are|working|broken|wrong|ok|fine|good|great|down|slow|failing|ready"
        r"|below|this|that|it|so|too|a bit)\b)\w.*"
        rf"|(?:my|our) (?!{_PASSING}\b)(?:[\w'-]+ ){{1,4}}"
        r"(?:(?:is|are|was|were) "
        r"(?:an?|the|in|on|from|called|named|about|around|over|\d\S*|made|based|built|written|hosted|located|stored"
        r"|parked|kept|running on|one of|mostly|always|only|usually|born|allergic|split|full of|two|three|four|five"
        r"|six|seven|eight|nine|ten)|has|have|lives?|works? (?:as|at|for|in|with|on)|runs? (?:on|in|at|the|an?)|uses?"
        r"|needs?|studies|studied|owns?|speaks?|goes to|teaches|plays|died|passed away|suffers?|loves?|likes?|hates?"
        r"|prefers?|moved|retired|agreed|features|belongs|consists|contains|supports|requires|graduated|weighs|costs"
        r"|opens|closes|ends|starts(?! with)|begins|sells|pays (?:for|the|our|my|in|by)|expires|lasts|sleeps|eats"
        r"|cannot|does not|do not) "
        r"(?!(?:not )?(?:working|broken|wrong|ok|fine|good|bit|mess|joke|nightmare|been|already|gone|got|this|that|it"
        r"|so|too|way|work"
        r"|a (?:bit|mess|joke|nightmare|good|great|bad|hard|long|little|lot|problem|question|point|disaster)"
        r"|the (?:best|worst|same|problem)|have|fit|know|understand|make|matter|help|feel)\b)"
        rf"(?:(?<=ed )|(?!{_SOON}))\w.*"
        rf"|my {PEOPLE}(?:,)? (?:[\w'-]+,? )?(?!{_OF_NOW}\b)"
        r"(?:is|are|was|has|have|lives?|works?|died|passed|loves?|hates?|got|had|plays|goes|teaches|studies) .+",
        (
            "My sister Rita works at the port.",
            "Our server is in Frankfurt.",
            "My dad passed away in March.",
            "Our dog has arthritis.",
            "My app is a Flask app.",
            "My shift ends at 15:30.",
            "My uncle is learning Welsh.",
        ),
        (
            "My token expires after an hour.",
            "My niece wants a story about frogs.",
            "My son wants chips.",
            "My class starts in 10 minutes.",
            "My session ends after 10 seconds.",
            "My yoghurt expires tomorrow.",
            "My uncle pays tonight.",
            "pay is 60k in this advert",
            "rent is 800 in Bath on average",
            "sister has my keys",
            "mum has to leave early",
            "adopted your plan, cheers",
            "My aunt is ringing the bell.",
            "My bus is in the tunnel.",
            "My day was long.",
            "My code is broken.",
            "Is my sister home?",
            "My bad.",
        ),
    ),
    FormationRule(
        "world_of_ours",
        "fact",
        r"(?:the|all|every|each) (?!(?:thing|problem|issue|question|error|point|reason|idea|same|other|first"
        r"|second|last|next|one|rest|fact|way|test|answer|following|output|code|weather|movie|film|show|book"
        rf"|song|game)s?\b)(?:[\w'/-]+ ){{1,6}}{_STATE}\b (?!(?:not )?(?:working|broken|wrong|ok|okay|fine|good"
        rf"|great|bad|nice|here|below|this|that|it|very|so|too|due|out)\b){_DETAIL}.+",
        (
            "The full suite takes 14 minutes on our runner.",
            "The warehouse only accepts calls from 10.20.0.0/16, so our job fails.",
        ),
        ("The film is from 2013.", "The problem is that we have no time."),
        within=OURS,
    ),
    FormationRule(
        "named_person",
        "fact",
        r"(?!(?:This|That|It|Here|There|What|He|She|They|Who|Which|Everything|Nothing|Today|Now)\b)"
        rf"{NAME}(?: (?:from|in|at) [\w ]{{2,20}}?)? (?:is|runs|owns"
        r"|leads|manages|handles|signs|heads|maintains|takes care of|is in charge of|works) (?:our|my|the only"
        r"|responsible|in charge|with (?:me|us)|for (?:me|us))\b.+",
        ("Rita is our treasurer.", "Mrs. Albrecht from purchasing is the only one who signs orders."),
        ("Is Rita our treasurer?", "This is my question."),
        on="written",
    ),
    FormationRule(
        "person_of_mine",
        "fact",
        rf"(?!{PRONOUN}\b)[a-z'-]+(?: [a-z'-]+)? is (?:my|our) (?!friends?\b|ex\b)(?:new )?{PEOPLE}(?: now)?[.!]*$",
        ("ben is my flatmate now", "dr lund is my dentist"),
        ("who is my flatmate", "google is my friend", "Is Ben my flatmate?"),
    ),
    FormationRule(
        "switched",
        "fact",
        r"(?:[Ii]|[Ww]e)(?:['’]ve| have)? (?:just )?(?:switched|changed|have an?|got an?) (?:new )?"
        rf"(?:{PEOPLE}|accountant|lawyer|vet|cleaner|gym|bank|insurer|provider|supplier|school|editor|car|phone|laptop)s?,?"
        rf" (?:and |so )?it['’]?s(?: now)? {NAME}(?: now)?[.!]*$",
        ("I've switched accountants, it's Ms. Klein now",),
        ("I've switched tabs, it's Chrome now", "Have I switched accountants?"),
        on="written",
    ),
    FormationRule(
        "layout",
        "fact",
        r"(?:our |the |my )?(?:[\w-]+ ){0,2}(?:layout|structure|setup|set-up|stack|schema|hours|opening hours"
        r"|budget|address|headcount|dimensions|allergies|languages|team|hardware|environment)\s?: \S+ .+",
        ("Repo layout: services are in /apps, shared code in /libs.", "Our stack: Django, Postgres, Redis."),
        ("My question: how do I set up Django?",),
    ),
    FormationRule(
        "told_to_keep",
        "fact",
        r"(?:(?:\W*(?:please|pls|also|and|ok|okay|so|just|can you|could you|i want you to|you should)\b)+,?\s*)?(?:"
        r"(?:remember|note|keep in mind|bear in mind|do not forget|be aware|know|save|store|record|memori[sz]e)"
        r"(?: (?:that|this))?(?: for later| for next time| in your memory)?(?: that)?\s*[:,]\s|(?:remember|note"
        r"|keep in mind|bear in mind|do not forget|be aware|memori[sz]e) that |for (?:the record|future reference"
        r"|your information|your records)[:,] |fyi[:,]? )(?!(?:i|we|you|to|the (?:following|question|task))\b)(?="
        r"(?:\S+ ){2}).+",
        (
            "Remember that the spare key is under the blue pot.",
            "For the record: the audit covers 2025 only.",
            "Please note: the gate shuts at nine.",
            "FYI, the lift takes four people.",
        ),
        ("Remember what I said?", "Remember this.", "Note the comma."),
        on="opened",
    ),
)
