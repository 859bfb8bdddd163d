"""Rules that recognise deadlines, numbers, names and open questions in English."""

from __future__ import annotations

from cognitive.window.slots.patterns import ABOUT, CALENDAR, CLOCK, DATE, NAME, NUMBER, ROLE, TITLED, WHICH, SlotRule

FACT_RULES = (
    # --- deadlines ---
    SlotRule(
        "deadline",
        "due",
        3,
        rf"\b(?:deadline|due|no later than|not later than|at the latest|cut-?off|expir(?:es?|ed|ing|y)|runs? out"
        rf"|ends\b"
        rf"|closes?|clos(?:es|ing)|last (?:possible |working )?(?:day|date|moment|chance"
        rf"|call))\b.{{0,60}}?\b(?:{DATE}"
        rf"|{CLOCK})|\b{DATE}.{{0,50}}\b(?:deadline|at the latest|is the last|or (?:it's|we))",
        ("The entry closes on 3 May.", "The permit expires in June.", "Thursday at the latest, they said."),
        ("It was overdue.",),
        assistant=2,
    ),
    SlotRule(
        "deadline",
        "have_to_by",
        3,
        rf"(?<!'ll )(?<!will )\b(?:has|have|needs?|must|got|should|supposed|wants?|expects?|will(?! have)"
        rf"|'ll(?! have)|is|are"
        rf"|be|'s|can)\b.{{0,90}}?"
        rf"\b(?:by|until|till|before)\s+{ABOUT}{DATE}"
        rf"|\bpromised\b.{{0,60}}? (?:for|on) {ABOUT}{DATE}|\b(?:is|are) over (?:in|on) {ABOUT}{DATE}",
        ("The tent has to be back by 9 June.", "Ola has until Monday to answer.", "I need the proofs before Easter"),
        ("It was dry until Monday.",),
        assistant=2,
    ),
    SlotRule(
        "deadline",
        "by_date",
        2,
        rf"\b(?:by|before)\s+{ABOUT}{DATE}|\b(?:until|till)\s+{ABOUT}{CALENDAR}|{CALENDAR}",
        ("Send the scans by Tuesday noon.",),
        ("by the door",),
        assistant=1,
    ),
    SlotRule(
        "deadline",
        "takes_place",
        2,
        rf"\b(?:is|are|will be|moved|scheduled|set|planned|booked|starts?|begins?|opens?|takes place|happens?"
        rf"|goes live"
        rf"|go live|launch\w*|falls|arrives?|leaves?|lands?|fl(?:y|ies)|deliver\w*|submit\w*|appointment"
        rf"|meeting)\b.{{0,50}}?"
        rf"\b(?:on|for|to|from|at|in)\s+(?:the\s+)?(?:(?:first|last|second|third) week of )?{DATE}",
        ("The inspection is on 12 August.", "Her flight leaves on Saturday at six."),
        ("It is on the table.",),
        assistant=1,
    ),
    # --- numbers ---
    SlotRule(
        "number",
        "identifier",
        3,
        r"\b(?:number|no\.|code|id|pin|extension|account|reference|ref|serial|licen[cs]e|plate|iban|password"
        r"|combination"
        r"|booking|phone|mobile|cell|fax|room|gate|seat|policy|postcode|zip|port|frequency|hotline)\b[^?]{0,60}?"
        r"(?:\bis\b|\bare\b|'s\b|:|=|\breads\b|\bchanged to\b)\s*(?:still |now |just |the |on |set to "
        r"|called )?\S{0,14}(?:\s\S{1,3})?\d|\b(?:number|code|no\.|id|reference|ref|iban)\s+\S*\d[\d-]{3,}"
        rf"|\b(?:my|our|his|her|their)\b(?: [\w'-]+){{1,6}} (?:is|are|was|=) (?:now |about |exactly )?{NUMBER}",
        ("Our member number at the pool is 77-104.", "The gate code: 4471#"),
        ("The room is big.", "The number is wrong."),
        assistant=2,
    ),
    SlotRule(
        "number",
        "amount",
        3,
        r"\b(?:budget|ceiling|limit|cap|maximum|minimum|price|rate|fee|quota|target|salary|rent|deposit|threshold"
        r"|allowance|capacity|tolerance|discount|margin|dose|dosage|interest|bonus|headcount|tariff|allocation"
        r"|funding"
        rf"|grant|penalty|premium|retainer|quote|offer|estimate|excess|batch size|quorum)\b[^?]{{0,70}}?\b(?:is|are"
        rf"|was"
        rf"|were|of|at|to|by|has been|stays|will be|comes|came)\b[^?]{{0,30}}?{NUMBER}",
        ("The ceiling for the kitchen is 9,400 euros.", "Rent goes up to 880 from May."),
        ("The limit is silly.",),
        assistant=2,
    ),
    SlotRule(
        "number",
        "measured",
        2,
        rf"\b(?:costs?|takes?|took|weigh(?:s|ed)?|measures?|holds?|seats?|lasts|lasted|requires?|pays?|paid|charges?"
        rf"|charged"
        rf"|spent|earns?|owes?|amounts? to|comes? to|came to|totals?|runs? (?:to|for)|fits?|carr(?:y|ies)|sold"
        rf"|raised|made|bought|ordered|counted)\b\s+(?:[\w']+\s+){{0,5}}?"
        rf"{NUMBER}|\b(?:at most|at least|no more than|not more than|no fewer than|up to|a maximum of"
        rf"|a minimum of)\s+"
        rf"(?:\w+ )?{NUMBER}",
        ("The hall seats 140 people.", "The repair cost us 312 euros in the end.", "At most six guests per table."),
        ("It takes a while.",),
        assistant=1,
    ),
    SlotRule(
        "number",
        "count",
        2,
        rf"(?<!here )\b(?:has|have|had|contains?|includes?|employs?|owns?|got|is|are|were)\b\s+(?:still |now |only "
        rf"|about "
        rf"|exactly |around |nearly |over |under |roughly |just |[\w-]+ ){{0,2}}?{NUMBER}\s+[a-z]{{3,}}",
        ("The orchard has 62 pear trees.",),
        ("There are some.",),
        assistant=1,
    ),
    SlotRule(
        "number",
        "figure",
        1,
        r"(?<!\w)[#$€£]?\d[\d.,-]*(?:%|\b)",
        ("Her reading was 128 over 84.",),
        ("No figure here.",),
    ),
    # --- names ---
    SlotRule(
        "name",
        "called",
        3,
        r"\b(?:is|are|'s|was|be|been) (?!called (?:an?|the)\b)(?:now |also |simply |actually |only |officially "
        r"|to be )*(?:called|named|code-?named"
        r"|nicknamed|titled|spelled|spelt|pronounced|known as)\b|\b(?:i|we|they)(?:'ve| have)? (?:named|nicknamed"
        rf"|christened) \w+|\bgoes by\b|\bnamed {NAME}|\brenamed .{{2,30}} to\b"
        rf"|\bcall(?:ing)? the .{{2,30}} (?-i:[A-Z])|\b(?:call"
        rf"|name) (?:it|him|her|them) {NAME}",
        ("The new ferry is called Petrel.", "We named the kitten Juno"),
        (
            "He called me.",
            "It's called a gerund.",
        ),
        assistant=2,
    ),
    SlotRule(
        "name",
        "role",
        3,
        rf"\b{ROLE}s?\b(?: [\w'-]+){{0,6}}?(?: is| are| will be|'s|:) (?:now |called |going to be |still )*{NAME}"
        rf"|(?-i:\b{ROLE}s?,? {NAME})|{NAME}(?: {NAME})? (?:is|will be|becomes) (?:my|our|the|their"
        rf"|your)(?: [\w-]+){{1,3}}[.!]*$"
        rf"|{NAME}(?:'s| is| will be| becomes| became| was made| has been made| acts as| as) (?:now |going to be )*"
        rf"(?:my|our|their|the|your|his|her|a|an|acting|interim)\b(?: [\w'-]+){{0,3}}? ?{ROLE}\b",
        ("Our contact at the mill is Odile Varga.", "Pavel is the new caretaker", "my aunt Concha has the other key"),
        ("The caretaker is late.", "Is Pavel in?"),
        assistant=2,
    ),
    SlotRule(
        "name",
        "full_name",
        1,
        rf"{TITLED}|(?<=[a-z] ){NAME} (?-i:(?:de |da |van |von |di |del )?[A-Z][a-z]\w+)",
        ("The lamps are by Greta Amundsen.", "The notary is Dr Osei."),
        ("The lamps are from Oslo.",),
    ),
    SlotRule(
        "name",
        "takes_over",
        3,
        rf"{NAME}(?: {NAME})?(?:'ll| will(?: be)?|'s going to)? (?:now |also )*(?:takes?|took|taking"
        rf"|is taking) over\b"
        r"|\b(?:is the (?:one|person) (?:to|who|for)\b|in charge of|responsible for|stands? in for|stepp?(?:s|ed"
        r"|ing)? in for|reports? to|looks? after)\b"
        rf"|\b(?:replac(?:es|ed|ing)|succeed(?:s|ed|ing)?) {NAME}|{NAME} (?:replac(?:es|ed)|succeed(?:s|ed))\b"
        rf"|{NAME}(?:'ll| will| now)* (?:handles?|manages?|deals? with|covers?|takes? care of|leads?|chairs?|hosts?"
        rf"|runs|does"
        rf"|owns|organi[sz]es?|approves?|brings?)\b"
        rf"|\b(?:ask|call|ring|email|e-mail|write to|speak to|talk to|contact|phone"
        rf"|go through) {NAME}(?: {NAME})? (?:for|about"
        r"|if|when|at|on|instead|first|before)\b",
        ("Noor takes over the tills from Friday.", "Hal is in charge of the flowers.", "Ring Ida if the pump fails."),
        ("Ring me later.", "He took it."),
        assistant=2,
    ),
    SlotRule(
        "name",
        "named_thing",
        2,
        r"\b(?:name|surname|title|codename|code name|username|login|hostname|handle|nickname|address|e-?mail|domain"
        r"|channel"
        r"|branch|street|brand|model|wifi|network)\b(?: [\w'-]+){0,7}?(?: is| was| will be|:|=) (?:now "
        r"|still )?(?:[\"'“‘]\S|(?-i:[A-Z])|\S*[\d@/_]|\S+\.\w)"
        r"|\b(?:is|are)(?: now)? \S*(?:[a-z][-_]\d|\d[a-z]{2,}\d|\w@\w|\w\.\w+/\w)|\b(?:moved to|at) \S*(?:\w@\w"
        r"|\w\.\w+/\w)"
        r"|\b(?:lives|is kept|are kept|is stored|is hidden|is parked) (?:in|at|on|under|behind|next|with)\b",
        ("The maiden name is O'Dowd-Pym.", "The spare key is kept under the blue pot."),
        ("The name is nice.",),
        assistant=1,
    ),
    # --- open questions ---
    SlotRule(
        "question",
        "not_known",
        3,
        rf"\b(?:i|we|nobody|no one|they) (?:still |really |also )*(?:does not|doesn't|haven't|hasn't|have not"
        rf"|has not|can't|cannot|couldn't)(?: yet| really)? (?:know|decided?|figured? out|found out|find out|heard"
        rf"|settled"
        rf"|agreed|worked out|understand|tell|say|sure|made up)\b.{{0,40}}\b(?:{WHICH}\b|yet\b)|\bstill (?:don't"
        rf"|do not) know"
        rf"|\b(?:nobody|no one) (?:knows|can say|could tell me|can tell me|could say)(?: \w+)? {WHICH}\b"
        rf"|\b(?:no idea|don't know) yet {WHICH} (?!to\b)|\b(?:anyone's|anybody's) guess\b"
        rf"|\b(?:nobody|no one) could (?:tell|say)\b|\bwonder(?:ing|ed)? {WHICH}\b|\bnever (?:found|figured) out\b"
        rf"|\bnot (?:yet )?(?:sure|clear|certain|decided)(?: yet)?(?: to me)? {WHICH}\b"
        rf"|\b(?:unclear|unsure|undecided|unknown)\b(?: \w+)? {WHICH}\b",
        ("I still don't know whether the loft has insulation.", "We haven't agreed who drives yet."),
        ("I don't know him.", "You never know."),
        assistant=2,
    ),
    SlotRule(
        "decision",
        "committed",
        2,
        r"\b(?:i|we)(?:'ve| have)? (?:said (?:yes|no) to|ordered|booked|hired|signed|accepted|rejected|turned down"
        r"|reserved"
        r"|rented|cancel{1,2}ed)\b",
        ("We've ordered the blue tiles.", "I said yes to the job in Ghent."),
        ("We said so.",),
    ),
    SlotRule(
        "question",
        "whether",
        2,
        r"^(?!.*\?$)(?!.*\b(?:ask(?:s|ed)?(?! myself)|check|see|know)\b.{0,30}\bwhether\b).*\bwhether\b|\b(?:we"
        r"|what i|what we|nobody|no one)(?: still)? (?:don't|do not|doesn't|does not) know\b|\bundecided\b"
        r"|\bnot (?:yet )?(?:sure|certain) (?:if|that|the|we|he|she|they)\b"
        r"|\bneeds? (?:an answer|a decision|to know|clarity|confirmation)\b",
        ("I keep asking myself whether the roof can carry the panels.", "We need an answer on the pension question."),
        ("We know.", "A lady asked whether we ship to Oslo."),
        assistant=1,
    ),
    SlotRule(
        "question",
        "no_idea",
        2,
        rf"\b(?:no idea|(?:don't|do not) know) {WHICH} (?!to\b)",
        ("I have no idea where the fuse box is.",),
        ("I don't know what to cook.",),
        assistant=1,
    ),
    SlotRule(
        "question",
        "open_point",
        3,
        r"\b(?:open|unanswered|unresolved|outstanding) (?:question|issue|point|matter|item)s?\b|\btbd\b"
        r"|\bup in the air\b"
        r"|\b(?:to be|remains? to be|yet to be|still to be|still needs? to be) (?:decided|determined|clarified"
        r"|confirmed"
        r"|settled|sorted|worked out|agreed)\b|\bstill (?:open|unclear|unresolved|undecided|unknown)\b"
        r"|\b(?:have|has|'ve) yet to\b|\bremains? (?:a mystery|unclear|open|unsolved)\b|^(?:pending|open|unresolved"
        r"|unclear):"
        r"|\b(?:hasn't|haven't|has not|have not|isn't|not) (?:yet )?been (?:settled|decided|agreed|answered"
        r"|clarified)\b"
        r"|\b(?:still (?:haven't|hasn't|have not|has not) (?:answered|replied|responded|confirmed|(?:come|got) back)\b"
        r"|(?:nobody|no one|not|no|\w+n't)(?: has| have)? (?:answer|answered|reply|replied|response|responded|confirmed"
        r"|(?:come|got) back)\b(?! the (?:door|phone)).{0,60}\byet\b)"
        rf"|\bwaiting (?:for|to hear)\b.{{0,40}}\b(?:{WHICH}|about|on|from)\b|\bthe (?:big )?(?:unknown"
        rf"|question) (?:is|remains)(?: \w+)? {WHICH}\b"
        rf"|\b(?:need|needs|have|has|want|wants|got)(?: still)? to (?:find out|figure out|work out|decide"
        rf"|clarify) {WHICH}?",
        (
            "Who pays the band is still open.",
            "We need to find out if the well is deep enough.",
            "The landlord hasn't answered the letter yet.",
            "They still haven't replied.",
        ),
        ("The shop is open.", "She hasn't answered the door yet."),
        assistant=2,
    ),
)
