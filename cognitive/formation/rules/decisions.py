"""Decisions: what the user, or the user's group, has settled for more than this turn."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule

_ADVERB = (
    r"(?:(?:now|finally|all|both|together|unanimously|mutually|only|always|not|never|then|therefore|instead"
    r"|jointly)\s)*"
)
# A decision names what is decided, and is about more than a part of a text.
_NO_PRONOUN = r"(?!(?:it|this|that|them|these|those|him|her)\b[.!]*$)"
_WHOLE = r"(?!.*\b(?:section|step|part|chapter|question|item|the (?:first|next|last|second)|number|option \w+ first)\b)"

RULES = (
    FormationRule(
        "decided",
        "decision",
        r"(?!(?:\w+ and )?i (?:finally |then )?(?:decided to|chose|agreed to|resolved to) (?:not )?"
        r"(?:go|start|take|watch|have|get|give|try|buy|see|make|wear|stay|visit|call|ask|write|include|them|it|him"
        r"|her|furniture|do|be|grab)\b)"
        r"(?:(?:i|we|the \w+|they|the team|our \w+|(?:my )?\w+ and i|me and (?:my )?\w+)(?: have| has| had)?) "
        r"(?:(?:now|finally|all|both|together|unanimously|jointly|then|therefore)\s)*"
        r"(?:decided|agreed|settled|opted|chosen|chose|resolved|voted|concluded|elected|committed|signed off|ruled)\b"
        r"(?: (?:on|to|that|for|against|not|with|in|upon|between))? (?!(?:it|this|that|them|these|those)\b[.!]*$)"
        r"(?:\S+ ?){1,60}"
        r"|(?:we|you) (?:now )?have (?:consensus|agreement|approval|an agreement|stage \w+)"
        r"(?: (?:on|for|to|that|about)\b.*|[.!]*$)"
        r"|(?:i|we) went (?:with|for) \w+"
        r"|(?:i|we) (?:have )?made (?:up (?:my|our) mind|the decision|a decision) ",
        (
            "We decided to use Postgres for the queue.",
            "We've agreed that Rita signs all invoices.",
            "I've finally settled on the green tiles.",
            "We went with the Danish supplier.",
            "Edda and I agreed to share the van.",
            "After three rounds of samples we went with the matt paint.",
            "We have consensus on the schema.",
            "I have made up my mind to sell the boat.",
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
        rf"(?:i|we) (?:will|are going to|am going to|shall) {_ADVERB}(?:be )?"
        r"(?:use|using|go with|going with (?!(?:an?|my|some) )|go for|stick with|sticking with|stick to|stay with"
        r"|staying with|adopt|drop|support|target|standardi[sz]e on|build on|settle on|switch to|switching to"
        rf"|migrate to|migrating to|default to|rely on|only \w+|no longer \w+|stop \w+|avoid) {_NO_PRONOUN}.+"
        r"|we are not going to (?:use|support|ship|allow|accept|migrate|hire|include) "
        r"(?!.*\b(?:today|now|this)\b)\w+ .+"
        r"|(?:i|we) (?:will|shall) not (?:be )?"
        r"(?:use|using|support|supporting|go|going|ship|shipping|do|doing|add|adding|allow|accept|take|have|migrate"
        rf"|build|buy|hire|change|include|implement) {_NO_PRONOUN}\w+ .+"
        r"|(?:we|the team|our \w+) (?:have )?(?:recently |finally |now )?"
        r"(?:switched (?:over )?(?:to|from)|migrated (?:to|from)|standardi[sz]ed on|replaced|dropped|deprecated"
        rf"|banned|abandoned|renamed|retired|introduced|doubled|halved|nearly doubled) {_NO_PRONOUN}.+"
        r"|(?:we|the team) (?:no longer|only|do not|never) "
        rf"(?:support|accept|allow|use|ship|target|test|deploy|hire|merge|take|offer|sell) {_NO_PRONOUN}.+"
        rf"|(?:i|we) (?:are|am|have been) {_ADVERB}"
        r"(?:(?:going|sticking|staying|settling|proceeding|running) with"
        r"|(?:sticking|staying|settling|standardi[sz]ing|building) on"
        r"|(?:sticking|switching|migrating)(?: over)? (?:to|from \w+ to)|moving away from|dropping|retiring"
        rf"|deprecating|replacing|abandoning|phasing out) {_NO_PRONOUN}.+"
        r"|from (?:now|today|tomorrow|monday|next \w+) on,? (?:i|we|all|every|each|the|our) .+"
        r"|(?:starting|as of|effective) (?:now|today|tomorrow|monday|next \w+|\w+),? "
        r"(?:i|we|all|every|each|the|our) .+",
        (
            "We'll stick with SQLite.",
            "I will use the north entrance from May.",
            "We're going with the Danish supplier.",
            "From now on we ship on Mondays.",
            "We will only test on Linux.",
            "We're not going to ship to islands.",
            "We will not support Windows at all.",
            "We have switched to Gitea.",
            "We no longer accept cheques.",
            "Starting Monday, all invoices go out as PDF.",
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
            "I choose the oak table.",
            "I want to use the blue theme.",
            "We keep the old sofa.",
        ),
        ("Going with friends.", "We agreed.", "Who wins?"),
    ),
    FormationRule(
        "being_settled",
        "decision",
        r"(?:i am|we are) "
        r"(?:turning down|dropping|retiring|adopting|giving (?:the|up)|cutting|replacing|hiring|closing|cancell?ing"
        r"|selling|scrapping|stopping|ending|rejecting|accepting|splitting|merging|renaming|rewriting|porting"
        r"|leaving (?:out|the)|keeping|limiting|raising|lowering|outsourcing|consolidating|skipping|buying (?:the|a)"
        r"|taking the|moving (?:the|our|all|everything)) (?!(?:it|this|that|you|them)\b)"
        r"(?!.*\b(?:trouble|problem|error)s?\b).+"
        r"|(?:the |our |(?=board|management))"
        r"(?:board|management|team|council|committee|client|family|boss|court|landlord|city|school|parents|group"
        r"|majority|vote|\w+ team|\w+ committee|\w+ board)(?: have| has)? "
        r"(?:approved|rejected|picked|chose|chosen|voted|went|ruled|signed off|killed|accepted|turned down|settled"
        r"|cancell?ed|opted|confirmed|granted|vetoed) .+",
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
        rf"|postpone|leave out|limit|restrict|ban|require|always|never|only) {_NO_PRONOUN}{_WHOLE}(?!(?:\w+ing|in mind"
        r"|you|me|an?|it|each other|in touch|up|on)\b).+",
        ("Let's go with the blue logo.", "Let's stick with weekly releases.", "Let's call the service Heron."),
        ("Let's go.", "Let's keep going.", "Let's use this.", "Shall we use Redis?"),
    ),
    FormationRule(
        "it_is",
        "decision",
        r"(?:(?:sold|deal|fine|settled|right|done|ok|then),? )?"
        r"(?!what\b|who\b|that\b|this\b|so\b|here\b|there\b|how\b|where\b|as\b|if\b|like\b|think\b|leave\b|keep\b"
        r"|take\b|use\b|show\b|send\b|i\b|we\b|you\b|it\b)(?:the )?\w+(?: \w+){0,4} it is(?: then)?[.,!]*$"
        r"|(?!it\b|that\b|this\b|i\b|we\b|you\b)(?:the |our |my )?\w+(?: \w+){0,4} (?:is|are) (?:now |officially )?"
        r"(?:off the (?:list|table)|out of scope|settled|final|a no-go|off limits|set in stone)\b"
        r"|.*\bso (?:that|it) is (?:off the (?:list|table)|out|out of scope|settled|decided)\b"
        r"|(?:the|our) (?!.*\bto stay\b)\w+(?: \w+){0,3} (?:stays|remains|stay|remain) "
        r"(?:as (?:is|it is|they are)|in|on|at|out|where|blue|red|green|the same|unchanged|open|closed|private|public"
        r"|with)\b",
        (
            "Postgres it is.",
            "Teletext is off the list.",
            "The logo stays as it is.",
            "Too expensive, so that is out.",
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
            "All invoices must always go to Ines.",
        ),
        ("The weather will be nice.", "My train will be late."),
    ),
    FormationRule(
        "after_thought",
        "decision",
        r"(?:i|we|the team) (?:have )?(?:finally )?(?:picked|selected|hired|appointed|named) "
        r"(?!(?:it|this|that|them|up|on|out|the (?:wrong|first|last|same)|one)\b)\w[\w' -]{1,50} "
        r"(?:for|as|over|instead of|to be) (?!(?:now|you|dinner|lunch|tonight)\b)\w.+"
        r"|(?:i|we) ended up (?:choosing|picking|going with|going for|buying|taking|using|keeping|settling) "
        r"(?!(?:it|this|that|them)\b)\w.+",
        (
            "After some discussion we agreed to postpone the launch.",
            "We picked Lisbon for the offsite.",
            "After a long debate we agreed on oak.",
            "We ended up choosing the lake house.",
        ),
        ("After lunch we went home.", "I picked it up.", "I ended up at home."),
    ),
)
