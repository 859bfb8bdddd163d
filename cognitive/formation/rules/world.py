"""Facts about the people, things and projects of the user, which still hold in a month."""

from __future__ import annotations

from cognitive.formation.rules.matching import row
from cognitive.formation.rules.words import PEOPLE

_OURS = r"\b(?:our|ours|we|us|my|here)\b"  # the message is about the world of the user
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
_PASSING = (
    r"(?:day|week|weekend|morning|evening|night|mood|turn|answer|choice|guess|point|opinion|question|questions"
    r"|problem|issue|mistake|bad|apologies|understanding|concern|code|error|output|result|thinking|idea|order|request"
    r"|reservation|booking|meeting|appointment|goal|plan|plans|bet|hope|pleasure|suggestion|impression|feeling"
    r"|favou?rites?|message|point|preference|last|next|current|first|internet|computer|screen|head|mind|test|tests"
    r"|build|budget|bad|dear|god)"
)

RULES = (
    row(
        "use",
        "fact",
        r"(?:i|we|our \w+|the \w+ team|my (?:team|company|\w+)) (?:now |mostly |mainly |always |do not |use to )?"
        r"(?:use|uses|rely on|run on|runs on|host|hosts|deploy|deploys|store|stores|build|builds) (?!(?:it|this"
        r"|that|them|these|those|the (?:following|same|code|above|command))\b)\w.+"
        r"|(?:it|this|the app|the project|the repo\w*|the service|the site|the system|the code ?base|the backend"
        r"|the frontend|everything) (?:all )?(?:uses|runs on|is (?:written|built|implemented|hosted|deployed"
        r"|based) (?:in|on|with|at|in)|depends on|relies on) (?!(?:it|this|that)\b)\w.+",
        ("We use Postgres for the queue.", "The backend is written in Go.", "This all runs on a modified Debian."),
        ("Should we use Postgres?", "We used those.", "How do I use it?", "We use it."),
    ),
    row(
        "mine_is",
        "fact",
        rf"our (?!{_PASSING}\b)(?:[\w'-]+ ){{1,4}}(?:{_STATE}|[a-z]{{3,}}s) (?!(?:so|give|to|in (?:the )?way)\b"
        r"|.*\b(?:future|journey|dreams?|motivation|blast|together)\b)(?!(?:and|from|of|with|for|on its|is|are"
        r"|working|broken|wrong|ok|fine|good|great|down|slow|failing|ready|below|this|that|it|so|too"
        r"|a bit)\b)\w.*"
        rf"|(?:my|our) (?!{_PASSING}\b)(?:[\w'-]+ ){{1,4}}(?:(?:is|are|was|were) (?:an?|the|in|on|from|called"
        r"|named|about|around|over|\d\S*|made|based|built|written|hosted|located|stored|parked|kept|running on"
        r"|one of|mostly|always|only|usually|born|allergic|split|full of|two|three|four|five|six|seven|eight"
        r"|nine|ten)|has|have|lives?|works? (?:as|at|for|in|with|on)|runs? (?:on|in|at|the|an?)|uses?|needs?"
        r"|studies|studied|owns?|speaks?|goes to|teaches|plays|died|passed away|suffers?|loves?|likes?|hates?"
        r"|prefers?|moved|retired|agreed|features|belongs|consists|contains|supports|requires|graduated|weighs"
        r"|costs|opens|closes|sleeps|eats|cannot|does not|do not) (?!(?:not )?(?:working|broken|wrong|ok|fine"
        r"|good|bit|mess|joke|nightmare|been|already|gone|got|this|that|it|so|too|way|work|a (?:bit|mess|joke"
        r"|nightmare|good|great|bad|hard|long|little|lot|problem|question|point|disaster)|the (?:best|worst|same"
        r"|problem)|have|fit|know|understand|make|matter|help|feel)\b)\w.*"
        rf"|my {PEOPLE}(?:,)? (?:[\w'-]+,? )?(?!(?:is|are|was) (?:here|late|fine|coming|back|on (?:the|his|her)"
        r"|in (?:the|a) (?:room|mood|hurry|shower|kitchen)|asleep|mad|angry|upset|sick|tired|busy|out|home|very"
        r"|so|not (?:here|happy))\b)(?:is|are|was|has|have|lives?|works?|died|passed|loves?|hates?|got|had|plays"
        r"|goes|teaches|studies) .+",
        (
            "My sister Rita works at the port.",
            "Our server is in Frankfurt.",
            "My dad passed away in March.",
            "Our dog has arthritis.",
            "My app is a Flask app.",
        ),
        ("My day was long.", "My code is broken.", "Is my sister home?", "My bad."),
    ),
    row(
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
        within=_OURS,
    ),
    row(
        "person_of_mine",
        "fact",
        r"(?:he|she) (?!.{0,14}\b(?:bit|lot|little|great|nice|good|best|late)\b)(?:has (?:an?|two|three|been)|is "
        r"(?:an?|the|\d|allergic|diabetic|vegan|vegetarian|married|from|called|in (?:his|her)|my|our)|was (?:an?"
        r"|my|our|the|born|diagnosed)|works? (?:as|at|for|in)|lives? (?:in|with|near|on)|cannot|can only|only "
        r"(?:eats|drinks|speaks)|does not (?:eat|drink|like|speak)|loves?|likes?|hates?|speaks?|plays?|studies"
        r"|goes to|turned|walks with|moved|died|passed away|suffers) (?!(?:a (?:bit|lot|little)|so|very|great"
        r"|nice|good|the (?:best|one))\b).+",
        ("My aunt stays with us. She has a shellfish allergy.", "My son starts school soon, he is allergic to milk."),
        ("She is a great singer.", "My brother came. He is a bit late."),
        within=rf"\b(?:my|our) (?:[\w-]+ )?{PEOPLE}\b",
    ),
    row(
        "named_person",
        "fact",
        r"(?!(?:This|That|It|Here|There|What|He|She|They|Who|Which|Everything|Nothing|Today|Now)\b)(?:(?:Mr|Mrs"
        r"|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?(?: (?:from|in|at) [\w ]{2,20}?)? (?:is|runs|owns"
        r"|leads|manages|handles|signs|heads|maintains|takes care of|is in charge of|works) (?:our|my|the only"
        r"|responsible|in charge|with (?:me|us)|for (?:me|us))\b.+",
        ("Rita is our treasurer.", "Mrs. Albrecht from purchasing is the only one who signs orders."),
        ("Is Rita our treasurer?", "This is my question."),
        on="written",
    ),
    row(
        "project_of_mine",
        "fact",
        r"(?:this|it|the (?:\w+ )?(?:app|project|site|website|repo|repository|tool|bot|game|service|course|paper"
        r"|thesis)) is (?:an?|my|our|for|all|mostly|built|written) (?:[\w/.+-]+ ){0,6}(?:app|project|repo"
        r"|repository|website|site|plugin|bot|tool|library|package|game|course|class|thesis|dissertation|script"
        r"|platform|system|service|client|company|startup|school|team|customers?|clients?|students|kids"
        r"|assignment|homework|prototype|monorepo|codebase)\b.*"
        r"|(?:i|we) (?:am|are) (?:trying to (?:build|learn|develop|lose|quit|save|sell|start|get (?:pregnant"
        r"|fit))|making|creating|designing|preparing for|applying (?:for|to)|looking for (?:a|an) (?:new )?(?:job"
        r"|flat|apartment|house|internship)) (?!(?:it|this|that|sure|progress|these|the (?:same|following))\b).+"
        r"|(?:i|we) have (?:never )?been to (?!.*\b(?:today|yesterday|last)\b)[a-z].+|(?:i|we) (?:went to"
        r"|attended) (?:school|college|university|high school)\b.*|(?:i|we) (?:was|were) in the (?:army|navy"
        r"|military|air force|marines|hospital|scouts)\b.*"
        r"|(?:i|we) have (?:been )(?!trying|having|looking|waiting|getting|thinking|wondering|seeing|going|doing"
        r"|told|meaning|struggling)\w+ing (?!(?:it|this|that)\b).*\b(?:for (?:\w+ ){1,3}(?:years?|months?"
        r"|decades?|weeks)|since)\b.*"
        r"|(?:i|we) (?:do not|cannot|never) (?:drive|own|speak|cook|code|program|swim|ski|dance|have (?:kids"
        r"|children|siblings|pets|insurance|access to)) ?.*",
        (
            "This is a Django project.",
            "The app is for our clients.",
            "I've been learning Dutch for two years.",
            "I don't drive.",
        ),
        ("This is a good question.", "I don't have time.", "I've been trying for years."),
    ),
    row(
        "layout",
        "fact",
        r"(?:our |the |my )?(?:[\w-]+ ){0,2}(?:layout|structure|setup|set-up|stack|schema|hours|opening hours"
        r"|budget|address|headcount|dimensions|allergies|languages|team|hardware|environment)\s?: \S+ .+",
        ("Repo layout: services are in /apps, shared code in /libs.", "Our stack: Django, Postgres, Redis."),
        ("My question: how do I set up Django?",),
    ),
    row(
        "told_to_keep",
        "fact",
        r"(?:\W*(?:please|pls|also|and|ok|okay|so|just|can you|could you|i want you to|you should)\b,?\s*)*(?:"
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
    row(
        "happened_to_mine",
        "fact",
        rf"my {PEOPLE} (?:\w+ )?(?:just |recently )?(?:got|had|lost|quit|left|broke up|moved|started|finished"
        r"|graduated|retired|bought|adopted|divorced|married|passed)(?: (?:an?|the|his|her|their|my|to|from|with"
        r"|in|out|away|married|divorced|engaged|pregnant|into|me|us|at)\b|[.!]*$)(?! (?:bit|great|good|nice"
        r"|tough|hard|little|blast|lot|ready|here|back)\b).*",
        ("My brother just got a job at the port.", "My girlfriend broke up with me."),
        ("My brother got back.", "My mom had a great time."),
    ),
    row(
        "people_do",
        "fact",
        rf"my (?:[\w-]+ )?{PEOPLE}(?:'s|s')? (?:[A-Z]?[\w-]+ )?(?:turned|turns|quit|collects?|drives?|visits?|runs?"
        r"|cooks?|sings?|sleeps?|eats?|wears?|uses?|hates?|speaks?|smokes?|drinks?|travels?|volunteers?|coaches"
        r"|commutes?|served|fought|emigrated|grew up|grow up|go(?:es)? (?:to|by)|belongs?|is getting|is visiting|is "
        r"learning|is studying|are visiting|was born|were born|was diagnosed|owns?|makes?|runs?|believes? in|wants? to"
        r" (?:be|become)) (?!(?:it|this|that|so|too|me (?:crazy|mad|nuts|feel)|sense|fun)\b)\w.*"
        r"|my (?:new |old |other |current |work |home |\w+'s )?(?:laptop|computer|pc|phone|desktop|server|router|car"
        r"|bike|house|flat|apartment|company|employer|team|school|building|printer|camera|insurance) (?:runs|uses|has"
        r"|does not have|comes with|allows|supports|covers|requires|seats|charges) (?!(?:been|a (?:problem|bug|virus"
        r"|glitch)|issues|trouble|problems|no (?:idea|power|signal)|not|it|this|that|slow|fine|out|stopped)\b)\w.+"
        r"|(?:the|our) (?:[\w-]+ )?(?:database|table|repo|repository|code ?base|app|site|website|service|api|server"
        r"|cluster|team|company|office|house|school|class|dataset|data set|file|queue) (?:has|holds|contains|gets"
        r"|handles|serves|employs) (?:about |around |over |more than |roughly |only |nearly |almost )?(?:\d|two|three"
        r"|four|five|six|seven|eight|nine|ten|twelve)[\w.,]* (?:\w+ )?(?!(?:errors?|bugs?|issues?|problems?|failures?"
        r"|warnings?|typos?)\b)\w+.*",
        (
            "My daughter turned six last week.",
            "My kids go to the village school.",
            "My laptop runs Fedora.",
            "The database has about 2 million rows.",
        ),
        ("My laptop has a problem.", "The file has three errors.", "My dog drives me crazy."),
    ),
)
