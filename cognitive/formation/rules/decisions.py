"""Decisions: what the user, or the user's group, has settled for more than this turn."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule

_ADVERB = (
    r"(?:(?:now|finally|all|both|together|unanimously|mutually|only|always|not|never|then|therefore|instead"
    r"|jointly)\s)*"
)
_LATER = r"(?!(?:it|this|that|them|these|those|him|her)\b[.!]*$)"
_PART = r"(?!.*\b(?:section|step|part|chapter|question|item|the (?:first|next|last|second)|number|option \w+ first)\b)"

RULES = (
    FormationRule(
        "decided",
        "decision",
        r"(?!(?:\w+ and )?i (?:finally |then )?(?:decided to|chose|agreed to|resolved to) (?:not )?(?:go|start|take"
        r"|watch"
        r"|have|get|give|try|buy|see|make|wear|stay|visit|call|ask|write|include|them|it|him|her|furniture|do"
        r"|be|grab)\b)(?:(?:i|we|the \w+|they|the team|our \w+|(?:my )?\w+ and i|me and (?:my )?\w+)"
        r"(?: have| has| had)?) (?:(?:now|finally|all|both|together|unanimously|jointly|then"
        r"|therefore)\s)*(?:decided|agreed|settled|opted|chosen|chose"
        r"|resolved|voted|concluded|elected|committed|signed off|ruled)\b(?: (?:on|to|that|for|against|not|with"
        r"|in|upon|between))? (?!(?:it|this|that|them|these|those)\b[.!]*$)(?:\S+ ?){1,60}"
        r"|(?:we|you) (?:now )?have (?:consensus|agreement|approval|an agreement|stage \w+)(?: (?:on|for|to|that"
        r"|about)\b.*|[.!]*$)|(?:i|we) went (?:with|for) \w+|(?:i|we) (?:have )?made (?:up (?:my|our) mind"
        r"|the decision|a decision) ",
        (
            "We decided to use Postgres for the queue.",
            "We've agreed that Rita signs all invoices.",
            "I've finally settled on the green tiles.",
            "We went with the Danish supplier.",
            "Edda and I agreed to share the van.",
            "After three rounds of samples we went with the matt paint.",
        ),
        (
            "Edda and I decided to grab a pizza.",
            "Have we decided on a name?",
            "We haven't decided on a name.",
            "I agreed.",
            "If we agreed on Monday, we could start.",
        ),
    ),
    FormationRule(
        "will_use",
        "decision",
        rf"(?:i|we) (?:will|are going to|am going to|shall) {_ADVERB}(?:be )?(?:use|using|go with|going with (?!"
        r"(?:an?|my|some) )|go for|stick with|sticking with|stick to|stay with|staying with|adopt|drop|support"
        r"|target|standardi[sz]e on|build on|settle on|switch to|switching to|migrate to|migrating to|default to"
        rf"|rely on|only \w+|no longer \w+|stop \w+|avoid) {_LATER}.+"
        rf"|we (?:will|are going to|shall) {_ADVERB}(?:close|keep (?!you\b|in\b|it\b|them\b|that\b|this\b|an?\b"
        rf"|going\b|trying\b)|leave|replace|host|run) {_LATER}.+"
        r"|we are not going to (?:use|support|ship|allow|accept|migrate|hire|include) (?!.*\b(?:today|now|this)\b)\w+"
        r" .+|(?:i|we) (?:will|shall) not (?:be )?(?:use|using|support|supporting|go|going|ship|shipping|do|doing"
        rf"|add|adding|allow|accept|take|have|migrate|build|buy|hire|change|include|implement) {_LATER}\w+ .+"
        r"|(?:we|the team|our \w+) (?:have )?(?:recently |finally |now )?(?:switched (?:over )?(?:to|from)"
        r"|migrated (?:to|from)|standardi[sz]ed on|replaced|dropped|deprecated|banned|abandoned|renamed|retired"
        rf"|introduced|doubled|halved|nearly doubled) {_LATER}.+"
        r"|(?:we|the team) (?:no longer|only|do not|never) (?:support|accept|allow|use|ship|target|test|deploy"
        rf"|hire|merge|take|offer|sell) {_LATER}.+"
        rf"|(?:i|we) (?:are|am|have been) {_ADVERB}(?:(?:going|sticking|staying|settling|proceeding|running) with"
        r"|(?:sticking|staying|settling|standardi[sz]ing|building) on|(?:sticking|switching|migrating)"
        r"(?: over)? (?:to|from \w+ to)|moving away from|dropping|retiring|deprecating|replacing|abandoning"
        rf"|phasing out) {_LATER}.+"
        r"|from (?:now|today|tomorrow|monday|next \w+) on,? (?:i|we|all|every|each|the|our) .+|(?:starting|as of"
        r"|effective) (?:now|today|tomorrow|monday|next \w+|\w+),? (?:i|we|all|every|each|the|our) .+",
        (
            "We'll stick with SQLite.",
            "I will use the north entrance from May.",
            "We're going with the Danish supplier.",
            "From now on we ship on Mondays.",
            "We will only test on Linux.",
            "We're not going to ship to islands.",
        ),
        (
            "We're not going to include this.",
            "I'm going to bed.",
            "I will use it.",
            "Will we use SQLite?",
            "We would use SQLite.",
        ),
    ),
    FormationRule(
        "dropped_subject",
        "decision",
        r"(?:i|we) (?:choose|pick|select|opt for|vote for|would go (?:with|for)|settle (?:on|for)) (?!(?:it|this"
        r"|that|them|one)\b)\w.+|(?:i|we) (?:would )?(?:want|like|prefer|need) to (?:use|go with|keep|stick "
        r"(?:with|to)|stay (?:with|on)|build it (?:in|with|on)|call it|name it) (?!(?:it|this|that|them)\b)\w.+|"
        r"(?:then )?(?:going|sticking|staying|settled|went|gone|we go|i go|we stay|i stay|we stick|i stick) "
        r"(?:with|on|for) (?!(?:it|this|that|them|you|friends|my|some)\b)\w.+"
        r"|(?:then )?(?:decided|settled|agreed)(?: (?:on|to|that|against|for))? \w.+|"
        r"(?:we|i) keep (?:the|our|my|using) (?!(?:change|faith)\b)\w.+"
        r"|(?:the |our )?\w+(?: \w+){0,3} (?:wins|won|gets the (?:nod|job|contract)|got the (?:nod|job|contract)"
        r"|made the cut)(?: (?:then|out|over \w+))?[.!]*$",
        (
            "Going with the Grundfos pump.",
            "We stay on Vue 2 until the relaunch.",
            "Dynamo wins.",
            "Settled on the oak floor.",
        ),
        ("Going with friends.", "We agreed.", "Who wins?"),
    ),
    FormationRule(
        "being_settled",
        "decision",
        r"(?:i am|we are) (?:turning down|dropping|retiring|adopting|giving (?:the|up)|cutting|replacing|hiring"
        r"|closing|cancell?ing|selling"
        r"|scrapping|stopping|ending|rejecting|accepting|splitting|merging|renaming|rewriting|porting|leaving "
        r"(?:out|the)|keeping|limiting|raising|lowering|outsourcing|consolidating|skipping|buying (?:the|a)"
        r"|taking the|moving (?:the|our|all|everything)) (?!(?:it|this|that|you|them)\b)(?!.*\b(?:trouble|problem"
        r"|error)s?\b).+"
        r"|(?:the |our |(?=board|management))(?:board|management|team|council|committee|client|family|boss|court"
        r"|landlord|city|school|parents|group|majority|vote|\w+ team|\w+ committee|\w+ board)(?: have"
        r"| has)? (?:approved|rejected"
        r"|picked|chose|chosen|voted|went|ruled|signed off|killed|accepted|turned down|settled|cancell?ed|opted"
        r"|confirmed|granted|vetoed) .+",
        (
            "We're turning down the offer.",
            "After a talk with Ines we're dropping the second form.",
            "I'm giving the job to Edda.",
            "We're moving the export to Airflow.",
            "The board approved the new warehouse.",
            "Management approved a second van.",
        ),
        ("We're moving to Ghent in May.", "I'm cancelling it."),
    ),
    FormationRule(
        "lets",
        "decision",
        r"let's (?:all )?(?:not )?(?:go with|go for|use|take (?:the|our|both)|stick with|stick to|stay with|keep"
        r"|settle on|make it|adopt|drop|switch to|call it|call the|standardi[sz]e on|agree (?:on|that|to)|defer"
        rf"|postpone|leave out|limit|restrict|ban|require|always|never|only) {_LATER}{_PART}(?!(?:\w+ing|in mind"
        r"|you|me|an?|it|each other|in touch|up|on)\b).+",
        ("Let's go with the blue logo.", "Let's stick with weekly releases.", "Let's call the service Heron."),
        ("Let's go.", "Let's keep going.", "Let's use this.", "Shall we use Redis?"),
    ),
    FormationRule(
        "it_is",
        "decision",
        r"(?:(?:sold|deal|fine|settled|right|done|ok|then),? )?(?!what\b|who\b|that\b|this\b|so\b|here\b|there\b"
        r"|how\b|where\b|as\b|if\b|like\b|think\b|leave\b|keep\b|take\b|use\b|show\b|send\b|i\b|we\b|you\b|it\b)"
        r"(?:the )?\w+(?: \w+){0,4} it is(?: then)?[.,!]*$"
        r"|(?!it\b|that\b|this\b|i\b|we\b|you\b)(?:the |our |my )?\w+(?: \w+){0,4} (?:is|are) (?:now "
        r"|officially )?(?:off the (?:list|table)|out of scope|settled|final|a no-go|off limits|set in stone)\b"
        r"|.*\bso (?:that|it) is (?:off the (?:list|table)|out|out of scope|settled|decided)\b"
        r"|(?:the|our) (?!.*\bto stay\b)\w+(?: \w+){0,3} (?:stays|remains|stay|remain) (?:as (?:is|it is"
        r"|they are)|in|on|at"
        r"|out|where|blue|red|green|the same|unchanged|open|closed|private|public|with)\b",
        (
            "Postgres it is.",
            "Teletext is off the list.",
            "The logo stays as it is.",
        ),
        ("What time it is.", "So it is."),
    ),
    FormationRule(
        "assigned",
        "decision",
        r"(?:my|our|the|her|his) (?:[\w'&-]+ ){1,7}(?:will be|is going to be|are going to be|is to be) (?:our|the"
        r"|my|your|official|held|in charge|responsible|done|used|called|named|hosted|handled|run|led) ?.*"
        r"|(?:my|our) (?:[\w'&-]+ ){1,7}will (?:take care of|handle|lead|run|own|host|organi[sz]e|cover|pay for"
        r"|be responsible for|take over) .+"
        r"|(?:the|our|all|every|each|any|no|new) (?:[\w'-]+ ){1,5}(?:should|must|has to|have to|may|shall|can) "
        r"(?:always|never|only) (?:be )?\w+ .+",
        (
            "The barn at Elm Farm will be our venue.",
            "My cousin will take care of the music.",
            "Our CI will be hosted in Frankfurt.",
        ),
        ("The weather will be nice.", "My train will be late."),
    ),
    FormationRule(
        "after_thought",
        "decision",
        r"after (?:some|much|a long|a lot of|long|all this|all the|careful|weighing|talking|thinking|discussing"
        r"|comparing"
        r"|trying)[\w ]{0,60}?,? (?:i|we|the team) (?:have )?(?:decided|agreed|settled|chose|went|opted|picked"
        r"|concluded"
        r"|voted)\b.+|(?:i|we|the team) (?:have )?(?:finally )?(?:picked|selected|hired|appointed|named) (?!(?:it"
        r"|this|that|them|up|on|out|the (?:wrong|first|last|same)|one)\b)\w[\w' -]{1,50} (?:for|as|over|instead of"
        r"|to be)"
        r" (?!(?:now|you|dinner|lunch|tonight)\b)\w.+"
        r"|(?:i|we) ended up (?:choosing|picking|going with|going for|buying|taking|using|keeping"
        r"|settling) (?!(?:it|this"
        r"|that|them)\b)\w.+",
        ("After some discussion we agreed to postpone the launch.", "We picked Lisbon for the offsite."),
        ("After lunch we went home.", "I picked it up.", "I ended up at home."),
    ),
)
