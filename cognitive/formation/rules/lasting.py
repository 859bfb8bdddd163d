"""Facts and preferences that are recognised by their grammar: person, tense and span of time, not single verbs.

These rows come after all others, and take what no more specific row has a pattern for.
"""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import NAME, NOT_GENERAL, OF_A_TASK, OURS, PAST, PEOPLE, PRESENT, PRONOUN, WEEKDAYS

_NO_NAME = r"(?!(?:This|That|It|Here|There|What|He|She|They|Who|Which|Everything|Nothing|Today|Now|If|When|The|I|We)\b)"
_LONG_AGO = (
    r"\b(?:since (?!(?:then|i|we|it|you|yesterday|this morning)\b)\w+|for (?:\w+ ){0,3}(?:years?|months|decades"
    r"|summers|winters|seasons|generations)\b|(?:in|since) (?:19|20)\d\d\b|(?:years?|months|decades) ago\b"
    r"|last (?:year|month|spring|summer|autumn|fall|winter|semester)\b|when i was (?:an?|\d|little|young|in)\b"
    r"|as a (?:child|kid|boy|girl|student|teenager)\b|(?:my|our) (?:whole|entire) li(?:fe|ves)\b)"
)
_GROUP = r"(?:team|group|people|staff|company|department|office|guys|lab|vendor|client|customer)s?"
# What has an address in a project.
_HOST = (
    r"(?:staging|prod|production|dev|qa|db|database|server|host|cluster|repo|repository|registry|proxy|queue|broker"
    r"|vpn|api|ci)"
)
_ADDRESS = (  # a port, an IP address or a host name
    r"(?:(?:at|on|under|to) (?:port )?\d{4,5}\b|(?:(?:at|on|in|under|to) )?(?:\d+\.\d+\.\d+\.\d+"
    r"|[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,}\b))"
)
# What is said of these is about the conversation or about this moment.
_TOPIC = (
    r"(?:problem|question|issue|error|point|idea|same|first|last|next|thing|reason|weather|film|movie|following|output"
    r"|code|test|fact)"
)
# What "my" may stand before without a lasting value behind it.
_PASSING = (
    rf"(?:{OF_A_TASK}|guess|question|build|test|day|week|weekend|morning|night|bet|choice|point|turn|problem|issue|idea"
    r"|suggestion|train|bus|plane|order|goal|plan|hope|next|last|first|current|version|wait)"
)
# Words before a statement that is matched as it was written.
_FIRST = r"(?:(?:[Oo]h|[Aa]nd|[Aa]lso|[Ss]o|[Bb]tw|[Yy]es|[Ww]ell|[Oo]k),? )*"
_ROLE = (
    r"(?:supplier|accountant|vendor|contact|manager|plumber|electrician|physio|doctor|dentist|lawyer|landlord|coach"
    r"|teacher|tutor|lead|owner|client|customer|courier|provider|bank|agency|architect|builder|caterer|nanny|gardener)"
)
# A value: a number, an amount, a time, or an identifier with a digit.
_VALUE = r"(?:(?:at|about|around|roughly|only|now|under|over|from|called) )*[$€£#+]?[\w@/.-]*\d[\w@:/.,%€$£+-]*"
# Beside these words a value holds only for now.
_LASTS = r"(?!.*\b(?:late|left|away|ago|off|behind|slow\w*|fast\w*|too|short|wrong|broken|tired|today|now)\b)"
_NOW = r".*\b(?:today|tonight|tomorrow|now)\b"
_CYCLE = r"(?:nightly|daily|weekly|hourly|monthly|yearly|quarterly)"
# What "my" and a value say lastingly; other values of "my" are of a task, a game or a day.
_MEASURE = (
    r"(?:lucky|favou?rite|target|hourly|daily|weekly|monthly|yearly|annual|usual|resting|personal best|budget"
    r"|(?:vat|tax) (?:number|id)|fee|extension|mortgage|commute|waist|inseam"
    r"|(?:locker|flat|house|apartment|member\w*|badge|plate|shirt|jersey|box|parking|room) number"
    r"|(?:shoe|ring|shirt|dress|hat|class|team|household) size)"
)
_SECRET = r"(?:pin|password|passcode|secret|otp|cvv|cvc|one-time)"
_HELPER = r"(?:vet|partner|trainer|instructor|cleaner|babysitter|mechanic|hairdresser|barber|pharmacist)"

RULES = (
    FormationRule(
        "for_me",
        "preference",
        rf"(?!{PRONOUN}\b|(?:your|my)\b)(?:[\w'-]+ ){{1,6}}(?:is|are|mean|means|feels?) "
        r"(?:an? |too |not |so |pure |plain )*"
        r"(?!(?:fine|ok|okay|good|new|enough|possible|available|clear|up|here|there|ready|free|open|next|done|meant"
        r"|for|time|waiting)\b)[\w-]+(?: [\w-]+)? (?:for|to) (?:me|us)\b.*"
        r"|(?:i|we) (?:trust|value|(?:want|need)(?!.* instead)|like|rate|enjoy) .+ "
        r"(?:more than|better than|rather than|over|instead of) (?!(?:it|this|that|here)\b)\w.+"
        r"|(?:i|we) (?:want|need|like) (?:the |my |all |only )?(?:[\w'-]+ ){1,5}"
        r"(?:first|last|at the (?:top|end)|on top)\b.*"
        r"|(?:i|we) (?:mainly|mostly|particularly|generally|often) (?:like|love|enjoy|prefer|hate) "
        r"(?!(?:it|this|that)\b)\w.+"
        r"|(?:i|we) (?:want|need|like|would like) (?:my|our) [\w' -]{2,40} "
        r"(?:black|hot|cold|short|plain|in one|on one|without|with) ?.*",
        (
            "Early meetings are torture for me.",
            "I trust printed maps more than apps.",
            "I want tea rather than cocoa.",
            "I want the numbers first.",
            "I mainly like ballads.",
            "I like my coffee black.",
        ),
        ("Monday is fine for me.", "It is torture for me.", "I need a left glove instead of a right one."),
    ),
    FormationRule(
        "long_lasting",
        "fact",
        rf"(?:i|we|it|he|she|they|(?:my|our) (?:[\w'-]+ ){{1,4}}?)(?: (?:have|has)(?: not| never| always)? \w+"
        rf"| (?:{PAST}|\w+ed|was|were))\b(?!.*\b(?:trying|looking|waiting|wondering|meaning|pics?|photos?"
        rf"|that)\b)(?<!liked)(?<!loved)(?<!saw)(?<!watched)(?<!felt)(?<!thought)(?<!confirmed).*{_LONG_AGO}.*",
        (
            "I gave up driving two years ago.",
            "We moved the primary. It has been in Dublin since 2019.",
            "We kept bees for ten years.",
        ),
        ("I have been trying for years.", "It rained in 2019."),
        within=r"\b(?:our|ours|we|us|my|i)\b",
    ),
    FormationRule(
        "in_charge",
        "fact",
        rf"{_NO_NAME}{NAME}(?: (?:from|in|at|of) [\w ]{{2,20}}?)? (?:handles|manages|runs|owns|leads|heads|maintains"
        r"|looks after|takes (?:care of|over)|took over|replaces|replaced|succeeded|covers|reports to|joined|left"
        r"|does|signs|chairs|teaches|organi[sz]es|pays|keeps|writes) (?:the|our|my|all|for|from|most|every\w*)\b.+",
        ("Jakob handles the money.", "Sandra took over the rota from Miguel."),
        ("This is the end.", "It does the job."),
        on="written",
    ),
    FormationRule(
        "world",
        "fact",
        rf"(?!{PRONOUN}\b|(?:my|your)\b|(?:(?:the|all|every|each|most|both|any) )?{_TOPIC}s?\b)"
        r"(?:(?!(?:i|we|you|let|need|want)\b)[\w'/.-]+ ){1,6}?"
        r"(?:is|are|has|have|takes?|sits?|runs?|does|do|belongs?|lives?|costs?|holds?|uses?|needs?|comes?|gets?"
        r"|works?|stands?|builds?) "
        r"(?!(?:not )?(?:working|broken|wrong|ok|fine|good|great|bad|nice|very|so|too|due|out|down|only (?:a|good)"
        r"|a (?:bit|lot|good|great|bad|nice))\b)"
        rf"(?=.*\b(?:for us|by (?:the|our|an?) (?:[\w-]+ )?{_GROUP}|only|nobody"
        r"|(?:about|around|roughly) \w+ (?:weeks|days|hours|minutes|months|people)|\d[\d.:]*)\b).+"
        r"|(?:this|it|the \w+) is (?:an?|my|our|for (?:my|our)) (?:[\w/.+-]+ ){0,4}"
        r"(?:app|project|repo|repository|website|site|plugin|bot|tool|library|game|thesis|service|company|startup"
        r"|team|clients?|customers?|students|school)\b.*",
        (
            "The Bremen lab does the sequencing for us.",
            "Our mail works. Results take about six weeks.",
            "The app is for our clients.",
        ),
        ("The problem is our database.", "The weather is only good today.", "The output is 17 on my laptop."),
        within=OURS,
    ),
    FormationRule(
        "address_of",
        "fact",
        rf"(?:the |our )?(?:[\w-]+ ){{0,2}}{_HOST}(?: \w+){{0,2}} (?:listens|runs|lives|sits|points|is|is hosted)"
        rf"(?: now)? {_ADDRESS}.*"
        rf"|(?!{PRONOUN}\b)[a-z]+ (?:listens|runs|lives|is|is hosted)(?: now)? (?=at|on|under){_ADDRESS}.*",
        ("The staging db listens on 5433.", "Grafana lives at grafana.int.acme.io.", "Prod server is 10.2.0.9."),
        ("The answer is 1234.", "Is the server on port 8080?", "The server is 5000 km away.", "It runs on 8080."),
    ),
    FormationRule(
        "where_it_is",
        "fact",
        r"the (?!(?:problem|question|issue|error|bug|point|idea|answer|difference|reason|thing|movie|film|song|book"
        r"|game|food|weather|store|airport|hotel)s?\b)(?:[\w/-]+ ){1,5}?(?:is|are|was|lives?|sits?|stands?) (?:set to"
        r"|pinned to|limited to|connected to|(?:written|owned|run|managed|maintained|built|hosted) by|in|under|behind"
        r"|inside|beside|next to|called|named|stored|located|hosted|kept|written in|running on) (?!(?:this|that|order"
        r"|general|fact|trouble|progress|time|the (?:way|case|same|right|wrong|middle of|process)|an?|my way|charge"
        r"|use|place|here|there|mind|question)\b)\w.*",
        ("The test database is in the root folder and is called shop.db.", "The spare key is under the blue pot."),
        ("The bug is in the parser.", "The build is in progress."),
    ),
    FormationRule(
        "value_of_mine",
        "fact",
        rf"(?:my|our) (?!(?:[\w'/-]+ ){{0,4}}?(?:{_PASSING}|{_SECRET}|total|count)\b)(?=(?:[\w'/-]+ "
        rf"){{0,3}}?{_MEASURE}\b)"
        rf"(?:[\w'/-]+ ){{1,5}}?(?:is|are|=) {_VALUE}"
        rf"(?: [\w€$'-]+){{0,10}}[.!]*$(?<!\?){_LASTS}",
        ("My lucky number is 7.", "Our hourly rate is 85 euros.", "My target weight is 75 kg."),
        (
            "My answer is 42.",
            "My train is 40 minutes late.",
            "My CPU usage is 98 %.",
            "Is my rent 900?",
            "My answer to exercise 4 is 17.",
            "My score so far is 8.",
            "my bet for Sunday is 2",
            "My basket total is 18.50.",
            "My place in the line is 9.",
            "My next step is D5.",
            "my r value is 0.8",
            "My locker pin number is 9917.",
            "My one-time code number is 220145.",
            "My queue number is 57.",
            "My font size is 12.",
            "My weekly total is 30.",
            "My learning rate is 0.01.",
        ),
    ),
    FormationRule(
        "named_of_mine",
        "fact",
        rf"{_FIRST}(?:(?:[Mm]y|[Oo]ur) (?:[a-z'-]+ ){{0,3}}(?:{_ROLE}|{PEOPLE}|{_HELPER})"
        rf"|[Tt]he (?:\w+ ){{0,3}}{_ROLE})(?:['’]s| is| are) (?:called |named )?(?!OK\b|I\b){NAME}"
        r"(?=[.,!]|$| (?:and|from|at|in|who|by)\b).*",
        ("My physio is Dr. Okoye.", "our vet's called Aiko and she is in Bath", "So the new supplier is Bauer."),
        (
            "My answer is Paris.",
            "My laptop is OK.",
            "My tea is cold.",
            "The hero is Bruno.",
            "My enemy in this round is Boris.",
            "My favourite for the cup is Chile.",
            "My candidate is Otto.",
            "My waitress is Eva and she is late.",
            "My cards are King Queen.",
        ),
        on="written",
    ),
    FormationRule(
        "at_times",
        "fact",
        rf"(?!(?:the )?(?:{_TOPIC}|show|concert|game|match|party)\b)(?:the |our |my )?"
        rf"(?:{_CYCLE} (?:[\w-]+ ){{1,3}}?"
        r"(?:runs?|starts?|takes?|happens?|goes|go|fires?|(?:is|are)(?= (?:every |on \w+days?\b|at \d\S*[.!]*$))) "
        rf"(?!(?:broken|failing|red|green|down|stuck|not|running|late)\b|{_NOW})"
        r"(?=.*\d|.*\b(?:every|on|after|before)\b).+"
        rf"|(?:our |(?!(?:{PRONOUN}|the|an?|another|some|each|any|every|your|his|her|their)\b))(?:[\w-]+ ){{1,2}}?"
        rf"(?:comes?|(?:is|are)(?= (?:only )?on )) (?!{_NOW})(?:only )?(?:on )?{WEEKDAYS}\b.*)"
        r"|we (?:are (?:closed|open|off)|meet|rehearse|train|close|open|deliver|bake) (?:only |at [\w:]+ |again )?"
        rf"(?:on |every \w+ and )?(?:{WEEKDAYS}\b|every \w+day\b).*",
        (
            "The nightly sync runs at 02:00 UTC.",
            "Deliveries come Mondays and Thursdays before 5.",
            "We meet Wednesdays at 7.",
            "We're closed Mondays.",
            "Choir is on Tuesdays at 7.",
        ),
        (
            "The nightly build is broken.",
            "We meet on Friday.",
            "It opens at 9.",
            "The film opens at 8 today.",
            "A bus leaves at 7. Another arrives at 8.",
            "The ferry leaves at 6, can you book it?",
            "The timer runs every 2 seconds and freezes the page.",
            "The error happens every night.",
            "Winter comes every year.",
            "The daily soup is 6 euros.",
            "The weekly test is on chapter 5.",
            "Backups run every hour.",
        ),
    ),
    FormationRule(
        "needs_to_work",
        "fact",
        rf"(?:the|our|my) (?!client (?:sends?|takes?|needs?|expects?)\b){_ROLE} (?:needs?|wants?|expects?|charges?"
        rf"|takes?|sends?|brings?) .*\b(?:(?:each|every) (?:\w*day|week|month|quarter|year|time|morning)"
        r"|per|on \w+days|(?:once|twice) a)\b.*"
        r"|the (?:[\w/-]+ ){0,2}?(?:tests|suite|pipeline|deploys?|deployment|migrations?) "
        r"(?:needs?|requires?|expects?) "
        r"(?!(?:to|a (?:fix|review|change|better)|more|some|help|work|your?|it|this|fixing|updating)\b).*\b(?:running"
        r"|installed|enabled|otherwise|or else)\b.*",
        (
            "The integration tests need docker running, otherwise they hang.",
            "The accountant (Ms. Roy) wants the receipts by the 3rd of each month.",
        ),
        (
            "The code needs the flag set.",
            "The draft needs more work first.",
            "The menu only opens after a reload.",
            "The page only works when I log out, any idea?",
            "The mower only starts after ten pulls.",
            "The cake needs the grill turned on.",
            "The client sends ten requests per second.",
            "The doctor sends every patient away.",
        ),
    ),
    FormationRule(
        "body",
        "fact",
        r"(?:i|we) (?:have (?:\w+ly |bad )?(?:hay ?fever|migraines)"
        r"|(?:do |always |often |easily )*get (?:\w+ly |so |bad )?"
        r"(?:(?:sea|car|motion|air|travel|altitude)[ -]?sick(?:ness)?|migraines|heartburn|hay ?fever"
        r"|nosebleeds|panic attacks|vertigo|cramps))\b(?!.*\b(?:today|tonight|now)\b).*"
        r"|my (?:left |right |lower |upper )?"
        r"(?:knees?|hips?|back|shoulders?|ankles?|wrists?|heart|hearing|eyesight|iron|blood pressure|thyroid"
        r"|cholesterol) (?:is|are) (?:bad|weak|low|high|poor|injured|torn|sensitive|damaged|unstable)\b"
        r"(?!.*\b(?:today|tonight|again|now|from|after|because|this)\b).*"
        rf"|(?!{PRONOUN}\b|(?:the|my|your|her|his)\b)(?:[\w'-]+ ){{1,4}}(?:is|are) my (?:weak|strong|sore) "
        r"(?:point|spot|side|suit)s?[.!]*$"
        r"|(?:i|we) (?:only |usually )?(?:sleep|train|work|run|swim|walk|study|practi[sc]e) "
        r"(?:like |about |around |only |for )*\d[\w.-]* (?:hours?|hrs?|h|km|miles|minutes?|mins?|days?)\b"
        r"(?!.*\b(?:today|so far|ago|in \d+|north|south|east|west|then)\b).*",
        (
            "I get really seasick so ferries are out.",
            "My left knee is bad.",
            "Verbs are still my weak point.",
            "I sleep like 6 hours.",
        ),
        (
            "I get it.",
            "My back is bad today.",
            "I read 3 pages and stopped.",
            "My shoulder is sore from the gym.",
            "My wrist is bad after all that typing.",
            "The middle part is my weak point in this draft.",
            "I run 4 miles in 30 minutes.",
            "I walk 2 km north and then 3 km east.",
        ),
    ),
    FormationRule(
        "doing",
        "fact",
        rf"(?:i|we) (?:(?:both|all|each|never|do not|now|even|\w+ly) )*(?!make sure|work well){PRESENT} "
        rf"(?!{NOT_GENERAL}\b)(?:\S+ )+\S+"
        rf"|(?:i|we) (?:do not|never|cannot) (?!(?:ever|sleep|tell|work|help)\b){PRESENT}[.!]*$",
        (
            "I teach chemistry to teenagers.",
            "We measure soil moisture at eleven sites.",
            "I read diffs on my phone.",
            "We never cook.",
        ),
        ("I think so too.", "I want a dog for Christmas.", "I ran two tests today.", "We see no error here."),
    ),
)
