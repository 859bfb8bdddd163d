"""Facts about the user: who they are, what they have and do, and what they are used to."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import WEEKDAYS

_MOOD = (
    r"(?:fine|good|well|ok|okay|great|sorry|glad|happy|sad|sure|tired|hungry|thirsty|bored|excited|confused|done"
    r"|ready|back|able|afraid|here|there|free|late|busy|curious|interested|impressed|surprised|lost|stuck|new here"
    r"|looking|trying|wondering|calling|writing to|asking|thinking|talking"
    r"|having (?:trouble|problems|issues|an issue|a problem|difficulty)|getting|seeing|going|doing|telling|saying"
    r"|feeling|hoping|listening|guessing|assuming|aware|all|so|not (?:sure|happy|a|an idiot)"
    r"|in (?:the mood|a hurry|need)|on (?:it|the phone|my way)|at (?:a loss|the)|about"
    r"|a (?:bit|little|lot|moment|big|huge|fan)|an idiot|such|more|right|wrong|too|down|up|off|out|kidding|joking"
    r"|serious|speechless|embarrassed|fan|into|fond|keen|planning|supposed|scheduled|bothered|annoyed)"
)
_ATTRIBUTE = (
    r"(?:name|surname|first name|last name|full name|nickname|username|user name|user id|id|account(?: id| number)?"
    r"|(?:customer|membership|order|employee|staff|student|insurance|passport|tax|policy|contract) (?:number|id)"
    r"|emergency contact|phone(?: number)?|number|mobile|cell|email(?: address)?|e-mail|address|zip(?: code)?"
    r"|postcode|postal code|birthday|b-?day|date of birth|age|height|weight|size|shoe size|blood type|nationality"
    r"|hometown|home town|native language|mother tongue|first language|profession|occupation|job|job title|title|role"
    r"|salary|major|religion|license plate|licence plate|wifi(?: password)?|wi-fi(?: password)?|password|passcode|pin"
    r"|door code|gate code|time ?zone|rent|budget|car|house|apartment|flat|company|employer|school|university|hobby"
    r"|hobbies|allergy|diet|handle)"
)
# Not a matter of the conversation or of the day: "I have a question", "I have a meeting".
_NOT_PASSING = (
    r"(?!(?:an? |the |some |any |no |zero |one |two |three |few |lots of |a lot of |a few )?(?:\w+ )?"
    r"(?:questions?|idea|clue|problems?|issues?|doubts?|feeling|look|moment|minute|second|one|ones|it|this|that|some"
    r"|point|choice|change|time|bags?|fun|trouble|errors?|concerns?|request|suggestions?|good|great|nice|bad"
    r"|following|to|been|not|already|never|seen|heard|read|had|got|done|tried|made|found|meeting|appointment"
    r"|reservation|error|bug|options?|choices?"
    r"|(?:seconds?|minutes?|mins|hours?|days?|weeks?)(?! (?:of|off|a|each|every|per|paid|vacation|holiday|leave)\b)"
    r"|hard time|lot|chance|preference|list|file|result|thought|guess|hunch|headache|cold|updated?|added|changed"
    r"|fixed|created|noticed|come|decided|also|copy|plans?|say|fear|quick"
    r"|(?:\w+ ){0,5}(?:day|week|weekend|night|morning|evening|semester|coming up))\b)"
)
# What one has for now: "I have three tabs open".
_NOT_NOW = r"(?!.*\b(?:tonight|outside|unread|(?:open|left|installed|running)[.!]*$))"
_PLACE_IN_TEXT = r"(?:step|page|line|level|chapter|section|question|slide|part|row|item)"

# A person who is named in one word.
_SOMEONE = r"(?!(?:it|this|that|he|she|they|you|who|what|i|we)\b)[a-z'-]{2,}"

RULES = (
    FormationRule(
        "diet",
        "fact",
        rf"(?:{_SOMEONE} "
        r"(?:is (?:[a-z]+ly |lactose |gluten )*(?:allergic|intolerant|diabetic|coeliac|celiac)\b"
        r"|cannot (?:eat|drink) (?!(?:it|this|that|much|now|anything)\b)\w)"
        rf"|(?:i|we|{_SOMEONE}) cannot have (?!(?:fun|children|kids|both|everything|one)\b)(?=(?:any )?[a-z]+[.!]*$))"
        r"(?!.*\b(?:today|tonight)\b).*",
        ("Milo can't have nuts.", "Milo is allergic to eggs.", "Milo can't eat pork.", "I can't have dairy."),
        ("He is allergic.", "Is Milo allergic to eggs?", "I can't have a look.", "Milo can't eat now."),
    ),
    FormationRule(
        "attribute_of_mine",
        "fact",
        rf"(?:my|our) (?:new |current |full |home |work |old |\w+'s )?{_ATTRIBUTE}"
        r"(?: for (?:my|our|the) [\w -]{2,30})? "
        r"(?:is(?: spell?ed| spelt)?|are|=|:|was|has changed to|changed to|will be)"
        r"(?! (?:not |a bit |too |very |so )?"
        r"(?:below|wrong|broken|missing|incorrect|good|great|full|slow|fine|tight|limited|locked|expired|there|down"
        r"|up|late)\b) ?\S.*"
        r"|(?:the|our) (?:[\w-]+ ){0,3}"
        r"(?:password|passcode|code|pin|combination|address|url|endpoint|phone number|account number|port|key) "
        r"(?:of|for|to) (?:my|our|the) [\w' -]{2,40} is .+"
        r"|(?:the|our) (?:[\w-]+ ){0,3}(?:wifi|wi-fi|alarm|door|gate|garage|garden|shed|locker|safe|router) "
        r"(?:password|code|pin|combination|name|key) is .+"
        rf"|{_ATTRIBUTE}\s?: \S+.*",
        (
            "My name is James.",
            "My new address is 14 Rue Vauban, Lyon.",
            "Username: otto77",
            "The garage code is 4471.",
            "My birthday is on 3 May.",
            "my bday is 12 march",
            "My insurance number is H 4471.",
            "Our budget for the roof is 9k.",
            "My surname is spelled Maier.",
            "The code for our shed is 4471.",
        ),
        ("What's my name?", "My password is wrong.", "My number is below.", "My budget is tight."),
    ),
    FormationRule(
        "who_i_am",
        "fact",
        r"(?:i|we) (?:am|are|have been|was|were) (?:an?|the|one of the|half|part|originally|now an?|not an?) "
        rf"(?!{_MOOD}\b|(?:big |huge |great )?(?:fan|lover|idiot|person|fool|mess|little|bit|lot|couple)\b"
        r"|(?:only|first|last|same|best|worst) (?:one|person)\b|(?:one|ones) (?:who|that)\b)\w.+"
        r"|(?:i|we) (?:am|are) "
        r"(?:(?:severely|highly|deathly|mildly|slightly|not|newly|recently|happily|lactose|type (?:1|2|one|two)"
        r"|gluten|half|originally|an? strict|strictly|colou?r) ?-?)*"
        r"(?:allergic|intolerant|diabetic|coeliac|celiac|asthmatic|vegan|vegetarian|pescatarian|kosher|halal|married"
        r"|divorced|single|widowed|engaged|pregnant|expecting|retired|unemployed|self-employed|deaf|blind"
        r"|colou?rblind|left-handed|right-handed|dyslexic|autistic|bilingual|catholic|jewish|muslim|christian"
        r"|buddhist|hindu|atheist|sober|from|based|located|born|new to"
        rf"|on (?:(?!{_PLACE_IN_TEXT}\b)[\w+-]+ )?v?\d+\.\d[\w.]*"
        r"|on (?:an? |my )?"
        r"(?:mac\w*|windows|linux|ubuntu|debian|fedora|arch|ios|android|wsl|python|node|version|call|medication"
        r"|a diet|insulin|parental leave|maternity leave)|not (?:that |so )?familiar with|not allergic"
        r"|responsible for|in charge of|in (?:my|the) (?:\w+ )?(?:twenties|thirties|forties|fifties|year|process)"
        r"|learning|studying|living|raising|dating|training for|recovering from"
        r"|working (?:at|for|in|as|with|on (?:a|an|my|our|the))"
        r"|writing (?:a|my|the) (?:book|novel|thesis|dissertation|paper)|building (?:a|an|my|our)"
        r"|running (?:a|an|our|my)|attending|using (?!(?:it|this|that|the (?:following|same|code))\b)\w+"
        r"|developing (?:a|an|our|my|the)|working on \w+|renovating|remodell?ing|majoring|enrolled|employed"
        r"|\d+(?: years old)?\b|one of)\b(?! (?:it|this|that)\b).*",
        (
            "I'm coeliac.",
            "I'm a nurse.",
            "We're based in Ghent.",
            "I'm allergic to nuts.",
            "I'm 34 years old.",
            "I'm not familiar with Rust.",
            "I'm studying law.",
            "I'm the treasurer of our club.",
            "We're on Django 5.1.",
            "I'm type 1 diabetic.",
        ),
        (
            "I'm a bit tired.",
            "I'm fine.",
            "I'm looking for a flat.",
            "I'm sorry.",
            "Am I a fool?",
            "I'm a huge fan.",
            "I'm on page 3.1.",
        ),
    ),
    FormationRule(
        "where_and_what_i_do",
        "fact",
        r"(?:i|we) (?:(?:do|have|now|have been|\w+ly|used to|both|all) )*(?:live|lives|lived"
        r"|living|work|worked|working|study|studied|teach|taught|volunteer|coach|commute|major|reside|grew up"
        r"|was born|were born|was raised|graduated|moved|relocated|emigrated|immigrated|settled|served|freelance"
        r"|intern|interned) (?:in|at|for|as|from|with|near|on|to|out of|here|remotely|full-?time|part-?time"
        r"|nights?|shifts?|abroad|alone|together|together with|between|\w+ days|law|medicine|physics|math\w*"
        r"|english|french|german|spanish|history|art|engineering|computer|chemistry|biology|piano|music|yoga)\b"
        r"(?! (?:it|this|that|them|you|your)\b).*"
        r"|(?:i|we) (?:do not )?(?:speak|own|run|manage|lead|maintain|drive|play|attend|teach|breed|grow|collect"
        r"|host|deploy|develop|sell|rent|suffer from|weigh|follow|take care of|care for|sing in|chair|foster"
        r"|raise|have a degree|wear (?:size|hearing|contact)|earn) (?!(?:it|this|that|them|into|you|out"
        r"|with|to|at|your|along|the (?:code|script|command|tests?|program|app|following|same|instructions"
        r"|steps))\b)\w.+"
        r"|(?:i|we) (?:smoke|vape|wear (?:glasses|contacts))[.!]*$",
        (
            "I live in Leeds.",
            "We moved to Ghent last year.",
            "I work as a nurse.",
            "I play the cello.",
            "We run a small bakery.",
            "I grew up near Bergen.",
            "I wear glasses.",
        ),
        ("I worked on it.", "I run the tests.", "Where do I live?", "Rita lives in Leeds."),
    ),
    FormationRule(
        "have",
        "fact",
        rf"(?:i|we) (?:now |do )?(?:have|own|have (?:bought|adopted|inherited|owned|had)) {_NOT_PASSING}{_NOT_NOW}"
        r"(?:an?|two|three|four|five|six|seven|eight|nine|ten|twelve|\d[\d.,]*k?|many|several|no\b|our|my|severe"
        r"|chronic|type|both|only|stage|roughly|about|around|over|more than) ?\w.+"
        rf"|(?:i|we) (?:now |do )?have {_NOT_PASSING}{_NOT_NOW}"
        r"(?:(?:kids|children|celiac|asthma|diabetes|adhd|arthritis|epilepsy|insomnia|migraines|high blood)\b"
        r"|[\w' -]{2,20} (?:disease|syndrome|disorder|cancer|allerg(?:y|ies)|insurance|citizenship|custody)"
        r"(?=[.,!]*$|,| (?:and|since|for|from|with|of|in)\b)).*"
        rf"|(?:i|we) do not have (?:an?|any) {_NOT_PASSING}\w.+"
        r"|there (?:is|are) (?:no |only |\w+ )?[\w -]{2,40} (?:in|on|at) (?:my|our) \w.+",
        (
            "I have two daughters.",
            "We have a dog called Rex.",
            "We have two hives, all Carnica.",
            "I have 5k lines of code in this app.",
            "We have no test server.",
            "I have a peanut allergy.",
            "We have 28 days of leave.",
            "There are three bathrooms in our house.",
            "I have Crohn's disease.",
            "We have kids.",
            "I don't have a car.",
        ),
        (
            "I have a question.",
            "I have an idea.",
            "Do I have two bags?",
            "I have one.",
            "I have a meeting.",
            "I have three hours left to pack.",
            "We have two options: paint or paper.",
            "I have twenty windows open.",
            "I have ten windows open.",
            "I have Node installed.",
            "We have forty visitors tonight.",
            "I have eleven lemons",
        ),
    ),
    FormationRule(
        "named",
        "fact",
        r"(?:[Hh]i|[Hh]ello|[Hh]ey|[Yy]es|[Yy]eah|[Ww]ell|[Cc]ool|[Nn]o|[Oo]h|[Oo]k)?[,.! ]*(?:[Ii]['’]?m|[Ii] am"
        r"|[Tt]his is) (?!I\b|OK\b|Ok\b|Not\b|Sorry\b|So\b|The\b|A\b|In\b|On\b|It\b|[A-Z]+\b)[A-Z][a-zà-ÿ]+"
        r"(?: [A-Z][a-zà-ÿ]+)?(?=[.,!]|$| (?:and|from|by|here)\b)",
        ("Hi, I'm Tomasz.", "I'm Buddhist, so no pork."),
        ("I'm OK.", "I'm going."),
        on="written",
    ),
    FormationRule(
        "life_event",
        "fact",
        r"(?:i|we) (?:have )?(?:recently |finally |last \w+ |once )?"
        r"(?:lost|quit|left|started|finished|completed|hired"
        r"|switched(?= (?:gyms|jobs|schools|careers|majors|banks|doctors|providers|companies|teams)\b)|broke|retired"
        r"|graduated|got (?:married|divorced|engaged|promoted|laid off|fired|hired|diagnosed"
        r"|a (?:new|job|dog|cat|puppy|kitten|promotion))|married|divorced"
        r"|was (?:diagnosed|fired|laid off|promoted|hired|divorced|born)|were (?:married|born)"
        r"|had (?:surgery|an? (?:[\w-]+ ){0,2}(?:operation|surgery|transplant|accident|stroke|fracture)|a baby"
        r"|a stroke|a heart attack|twins|an operation|a miscarriage)|gave birth|gave up"
        r"|stopped (?:smoking|drinking|eating)|adopted|bought|sold|founded|inherited|won|earned|published|moved"
        r"|became|turned) (?!(?:btw|lol|haha|again|already|today|yesterday|recently)\b[.!]*$)"
        r"(?!(?:it|this|that|them|out|up|you|track|off|by|at|to|and|with (?:it|this|that|you|the)"
        r"|the (?:test|build|task|script|app|server|page|room|meeting|chat|code|step|part))\b)"
        r"(?:my|our|a|an|the|from|in|\w+)\b.*",
        (
            "I lost my job in May.",
            "We adopted a cat.",
            "I was diagnosed with asthma.",
            "I quit smoking.",
            "I bought a house in Ghent.",
            "I switched gyms because of the noise.",
            "I switched gyms in May.",
        ),
        ("I lost it.", "I switched branches.", "I started the server.", "Did I quit?", "We moved yesterday!"),
    ),
    FormationRule(
        "habit",
        "fact",
        r"(?:i|we) (?:usually|often|always|normally|regularly|rarely|typically|frequently|mostly|sometimes"
        r"|seldom) (?!(?:been|wanted|thought|knew|felt|am|are|was|were|want|think|feel|believe|find|wonder|hope"
        r"|say|said|ask|get (?:it|that|this)|had|mean|wish|forget|need)\b)[a-z]+(?<!ed) (?!(?:it|that|this"
        r"|you)\b[.!]*$).+"
        r"|(?:i|we) (?!\w+ed\b|(?:was|were|had|went|did|got|fed|saw|took|made|came|ate|ran|will|would|have|want"
        r"|need|must|could|should)\b)(?:[a-z]+ ){1,2}.{0,60}\b(?:every (?:single )?(?:day|morning|evening|night"
        r"|week|month|year|summer|winter|\w+day|weekend|other day)|(?:once|twice|three times|\w+ times) (?:a"
        rf"|per) (?:day|week|month|year)|on {WEEKDAYS})\b.*"
        r"|(?:i|we) used to (?!(?:think|believe|hope|want)\b)\w+ .+"
        r"|(?:i|we) have (?:always |never )?(?:been|had|lived|worked|studied|known|owned|played|used|taught|run"
        r"|driven|suffered|managed|grown|practi[sc]ed|collected|volunteered) (?!(?:trying|having|thinking|looking"
        r"|wondering|getting|seeing|meaning|waiting|working on (?:it|this|that)|able|busy|there|to|a (?:long|bit"
        r"|rough|busy|great|hard|good|tough))\b).*\b(?:for (?:\w+ ){1,3}(?:years?|months?|decades?|ages|a while"
        r"|life)|since|all (?:my|our) (?:life|lives)|my (?:whole|entire) life)\b.*",
        (
            "I usually swim before work.",
            "We go to Denmark every summer.",
            "I used to play the oboe.",
            "I've been vegan for ten years.",
            "I have lived here since 2015.",
        ),
        ("I always wanted a dog.", "I used to think so.", "I've been trying for an hour.", "Do you swim every day?"),
    ),
    FormationRule(
        "fears_and_abilities",
        "fact",
        r"(?:i|we) (?:have|suffer from|struggle with) (?:an? )?"
        r"(?:acute |severe |terrible |strong |deep |bad |chronic |mild )*"
        r"(?:fear|phobia|anxiety|allergy|intolerance|condition|disability|difficulty with"
        r"|trouble with (?:stairs|hearing|sleep))\b.+"
        r"|(?:i|we) (?:cannot|can|am able to|am unable to) "
        r"(?:swim|drive|cook|read (?:music|braille|latin)|speak|eat \w+|drink \w+|lift|fly|hear|see well|ride|play"
        r"|type|tolerate)\b(?! (?:it|this|that|you)\b).*"
        r"|(?:i|we) follow (?:an? )?.*\b(?:diet|regimen|lifestyle|program|schedule)\b.*"
        r"|coming from (?:an? )?[\w ]{2,30} background\b.*",
        (
            "I have an acute fear of heights.",
            "I can't swim.",
            "I follow a strict gluten-free diet.",
            "Coming from a Java background, I miss types.",
        ),
        ("I can see it.", "I have a bad feeling."),
    ),
    FormationRule(
        "never_did",
        "fact",
        r"(?:i|we) (?:have )?never (?:learned|learnt|had|went to|finished|got|owned|studied|worked|lived|smoked) "
        r"(?!(?:it|this|that|anything|such|so|a (?:problem|chance|reply|response))\b).+"
        r"|there (?:is|are) (?:only )?(?:\d+|two|three|four|five|six|seven|eight) (?:of us|[\w ]{2,30} (?:on|in) "
        r"(?:the|our|my) (?:team|family|house|company|office|group|class|band))\b.*"
        r"|(?:i|we) (?:am|are) (?:teaching|volunteering|coaching|caring for|taking care of|saving (?:up )?for"
        r"|renting|commuting|homeschooling|breastfeeding) (?!(?:it|this|that|you)\b).+",
        ("I never learned how to drive.", "There are four of us on the team.", "I'm teaching kids how to swim."),
        ("I never got it.", "I never had a problem."),
    ),
)
