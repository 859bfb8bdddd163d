"""Plans: what the user, or someone of theirs, intends or has committed to."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import DATE, DAY, EVENT, MY, PEOPLE

_COMMIT = (
    r"(?:submit|send|write|update|finish|prepare|publish|upload|add|fix|implement|create|build|file|open|call|visit"
    r"|move|start (?:a|an|my|our|work|school|college|university|the)|apply|buy|book|sign|join|talk to|speak (?:to"
    r"|with)|meet|contact|email|schedule|release|ship|present|review|organi[sz]e|attend|travel|fly|drive|propose"
    r"|draft|merge|test|investigate|report|follow up (?:on|with)|put .{2,60} (?:on|in|into) (?:the|our|my)|bring"
    r"|pick up|drop off|return|renew|register|enrol|study|teach|host|throw|cook|bake|paint|plant|sell|launch|migrate"
    r"|refactor|rewrite|translate|record|print|deliver|install|replace|repair|marry|retire|graduate|quit|take over"
    r"|take (?:the|a|my)|invite|ask my|look (?:for|into)|make (?:an?|the) (?!difference|fool|mess|change)|work on)"
)
_GO = (
    r"(?:going|flying|travell?ing|driving|moving|meeting|visiting|starting|leaving|having|hosting|attending|getting"
    r"|taking|running|presenting|giving|joining|seeing|returning|coming|celebrating|throwing|releasing|shipping"
    r"|launching|staying|spending|hiring|interviewing|retiring|graduating|marrying|speaking|teaching|playing"
    r"|performing|working)"
)

RULES = (
    FormationRule(
        "going_to_dated",
        "plan",
        rf"(?:i|we|me and [\w ]{{2,20}}|[\w ]{{2,20}} and (?:i|me)|my [\w'-]+(?: [\w'-]+)?(?: and i)?|our [\w'-]+"
        r"(?: [\w'-]+)?) (?:am|are|is) (?:all set to|set to|due to|about to|scheduled to|planning to|going to"
        rf"|hoping to|supposed to|{_GO})\b.*{DATE}.*"
        r"|(?:i|we|my [\w'-]+(?: [\w'-]+)?(?: and i)?|our [\w'-]+(?: [\w'-]+)?) (?:will|shall) (?:be )?"
        rf"(?!let you\b|see you\b|talk to you\b|be back\b)\w+ .*{DATE}.*",
        (
            "I'm flying to Oslo on 12 March.",
            "We are going to repaint the hall next week.",
            "My sister is moving to Ghent in June.",
            "We'll present the budget on Friday.",
        ),
        ("I'm going to bed.", "See you on Friday.", "I would fly on Friday.", "I went to Oslo in March."),
    ),
    FormationRule(
        "intends",
        "plan",
        r"(?:the|our|my) (?:current |overall |main |next )?"
        r"(?:plan|goal|aim|intention|objective|target|ambition|resolution)(?: (?:for|of) [^,]{2,40})? is (?:to|that) "
        r"(?!(?:see|find|check|understand)\b)\w+ .+"
        r"|(?:i|we|my [\w'-]+(?: and i)?) "
        r"(?:(?:do )?(?:plan|intend|aim)s? (?:to|on)"
        r"|(?:am|are|is) (?:planning|organi[sz]ing|preparing) (?:an?|my|our|the) (?:[\w'-]+ )*?"
        r"(?:trip|party|wedding|move|visit|event|vacation|holiday|tour|meetup|surprise|reunion)\b"
        r"|(?:am|are|is) (?:planning|aiming|scheduled|due) (?:to|on|for)"
        r"|(?:have|has) "
        r"(?:plans to|signed up (?:to|for)|enrolled|registered (?:to|for)|booked|bought tickets|committed to"
        r"|promised to|agreed to)|promised) (?!(?:see|find|check|look|ask|know)\b).+",
        (
            "I plan to learn Dutch.",
            "We intend to open a second shop.",
            "I've signed up for the pottery course.",
            "We have booked the cabin.",
            "Our goal is to open a second shop.",
        ),
        ("Do you plan to answer?", "I had planned to learn Dutch."),
    ),
    FormationRule(
        "will_do",
        "plan",
        r"(?!.*\bfrom (?:now|today) on\b)(?:i|we) (?:will|shall|am going to|are going to) "
        rf"(?:have to |need to |then )?{_COMMIT} "
        r"(?!(?:it|this|that|them|you|one)\b[.!]*$|you\b|now\b|those\b|these\b|any\b)(?:\S+ )*\S+",
        (
            "I'll submit an issue with the trace.",
            "We'll meet with the pastor soon.",
            "I'm going to write a post about the outage.",
        ),
        ("I'll check.", "I'll see you.", "I'll call you.", "I'll take it."),
    ),
    FormationRule(
        "we_will",
        "plan",
        r"we (?:will|are going to) (?:be )?(?!.*\bnow\b)(?!(?:see|suspend|resume|adjourn|pause"
        r"|talk|discuss|look|get|move on|come|able|happy|late|have|need|try|find|let|start|go|take|wait|do"
        r"|continue|know|say|hear|make sure|figure|never|not|always|probably|be|stay|miss|love|enjoy|keep|watch"
        r"|proceed|ask|leave|end|become)\b)[a-z]+ (?:\S+ ){2,}\S+",
        ("We will split the report into two parts.", "We're going to repaint the hall green."),
        ("We'll see how it goes.", "We'll have a lot of fun."),
    ),
    FormationRule(
        "wants_dated",
        "plan",
        r"(?:i|we) (?:want|would like|need|have|hope|must|ought|am supposed|are supposed) to (?!(?:find|see|know"
        r"|hear|learn about|understand|check|ask|cancel|delete|remove|change|reschedule|order|book|reserve|get"
        rf"|look|rent|watch|listen|search|make sure|ensure|a|an|my|our)\b)\w+ .*{DATE}.*",
        (
            "I'd like to apply for the college next year.",
            "I need to hand in the thesis by 3 May.",
        ),
        ("I need to cancel my dinner on Tuesday.", "I'd like to book a table for Friday."),
    ),
    FormationRule(
        "leaves_on",
        "plan",
        r"(?:i|we) (?:fly|leave|depart|arrive|move|start|begin|marry|get married|am on call|am off|are off"
        rf"|am on (?:leave|holiday|vacation)|are on (?:leave|holiday|vacation))\b ?(?!(?:it|this|that)\b).*{DAY}.*",
        ("On Friday I fly to Oslo.", "We leave on 12 March.", "We're off on Friday."),
        ("Do we leave on Friday?", "I go on Fridays."),
    ),
    FormationRule(
        "happens_on",
        "plan",
        r"(?!(?:i|we|you|he|she|it|this|that|they|there|what|who|if|when)\b|.*\b(?:birthday|b-?day) is\b)"
        rf"(?:(?:the|my|our|their|his|her|[a-z]+'s) |(?={PEOPLE}|grand\w+ |mom |dad ))(?:[\w'&-]+ ){{1,8}}(?:is|are"
        r"|gets?|goes|comes?|turns?|starts?|opens?|closes?|begins?|ends?|arrives?|leaves?|lands?|launch(?:es)?|ships?"
        r"|moves?|takes place|happens|expires?|runs? out|returns?|will|is getting|are getting|has|have) (?!.*\b"
        rf"(?:was|were|been|had|yesterday|last|ago)\b).*{DAY}.*",
        (
            "The scaffolding goes up on 4 May.",
            "Grandpa turns 90 on 8 August.",
            "My cast comes off in nine days.",
            "The cluster gets upgraded on Sunday night.",
        ),
        ("The cluster was upgraded on Sunday.", "Is the shop open on Sunday?"),
    ),
    FormationRule(
        "errand",
        "plan",
        rf"(?:i|we) (?:still |also )?(?:need|have|must|ought|promised|agreed)(?: to)? {_COMMIT} .*\bfor (?:my|our"
        rf"|the|\w+'s) (?:[\w'-]+ ){{0,3}}(?:{EVENT}|{PEOPLE})\b.*",
        ("I need to buy a bottle of wine for my dinner with Rita.", "I have to bring a cake for my mother's party."),
        ("I need to buy a bottle of wine.",),
    ),
    FormationRule(
        "has_event",
        "plan",
        r"(?:(?:i|we|my [\w'-]+(?: [\w'-]+)?) (?:have|has)|got) (?:an?|my|our|another|the|two|three|\d+|this|that) "
        rf"(?:[\w'-]+ ){{0,5}}{EVENT}s?\b.*{DATE}.*"
        rf"|(?:(?:my|our|the) (?:[\w'-]+ ){{0,5}})?{EVENT}s? "
        r"(?:is|are|will be|starts|begins|takes place"
        r"|(?:(?:has been|was|got|is) )?(?:moved|pushed|postponed|rescheduled|shifted|delayed|slipped)|is scheduled) .*"
        rf"(?:{DATE}|\btoday\b).*"
        rf"|{MY} (?:[\w'-]+ ){{1,4}}(?:is|are) "
        rf"(?:due|over|up|ending|starting|expiring|arriving|coming|visiting|leaving|in) .*{DATE}.*"
        rf"|(?:my|our|the) [\w' -]{{2,40}} (?:expires|ends|runs out|is due|arrives) .*{DATE}.*",
        (
            "I have a dentist appointment on Friday.",
            "Our wedding is on 12 June.",
            "The release is next week.",
            "My visa expires on 3 May.",
            "My mother is arriving on Sunday.",
            "The audit got pushed to 9 July.",
            "Got a viewing on Friday.",
        ),
        (
            "Got a letter on Friday.",
            "Do I have a meeting on Friday?",
            "I had a meeting on Friday.",
            "The meeting was on Friday.",
        ),
    ),
    FormationRule(
        "action",
        "plan",
        r"(?:\[?action\]?|action (?:item|point)|todo|to do|action received)\s*(?::|-|\s)\s*@?\w+(?: and \w+)? "
        r"(?:to|will) \w+ .+",
        ("Action: Rita to send the minutes.", "[ACTION] otto to close the bugs."),
        ("Action films are fun.",),
    ),
    FormationRule(
        "scheduled",
        "plan",
        rf"(?!.*\b(?:cancel|delete|remove|decline|unsubscribe|as of)\b).*"
        rf"(?:{DATE}|\b(?:today|at \d|noon|midnight)\b).*",
        (
            "Please put the dentist on Friday at 10 into my calendar.",
            "Schedule lunch with Rita tomorrow.",
            "Remind me to call Otto on Monday.",
        ),
        ("Set a timer.", "Add milk."),
        confirmed=True,
    ),
)
