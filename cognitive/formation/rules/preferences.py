"""Preferences: standing likes, dislikes and wishes of the user."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule

# What one likes: a thing with a name, and nothing of the conversation.
_THING = (
    r"(?!(?:it(?! (?:best |better )?(?:when|if)\b)|everything|every|this|that|these|those|them|him|her|you|your|how"
    r"|what|where|when you put|one|ones|another|some"
    r"|to (?:see|know|hear|book|make|order|find|get|have a|talk|think|meet|say|be able|go (?:to|there)|apply|buy)"
    r"|the (?:idea|sound|look|one|(?:first|second|third|last) (?:one|option|idea)|former|latter|other|thought|name"
    r"|option|way you|way it|fact|design|result|new|change)"
    r"|(?:talking|chatting|meeting|speaking|hearing|working) (?:to|with|from)|both|all of|either|neither|my job"
    r"|my time)\b)"
)
_LIKES = (
    r"(?:love|like|enjoy|adore|prefer|favou?r|hate|dislike|detest|loathe|despise|resent|appreciate|value|crave"
    r"|cannot (?:stand|bear|tolerate|abide|stomach)|do not (?:like|enjoy|care for|want to see|mind)|never (?:liked"
    r"|cared for|enjoyed)|have always (?:loved|liked|hated|enjoyed|preferred|disliked)|always (?:loved|liked|hated"
    r"|enjoyed|preferred|enjoy|prefer|like)|loved|hated|disliked|enjoyed)"
)

RULES = (
    FormationRule(
        "likes",
        "preference",
        r"(?:i|we|my (?:wife|husband|partner|family|kids?|son|daughter|children) and i|i (?:do|did)) (?:do "
        rf"|\w+ly |much |far |always |often |tend to |would )?{_LIKES}(?<!would like)"
        r"(?<!would love)(?<!would hate)(?<!would prefer)(?<!would enjoy)(?<!would appreciate) (?!(?:the|your) "
        r"(?:detail|help|effort|offer|info|answer|heads|thought|time|work|support|response|advice|quick)\w*\b)"
        rf"(?![^.]*\bthis (?:one|time)\b){_THING}\"?\w.*"
        r"|(?:i|we) would (?:really )?(?:love|like|prefer|appreciate|hate) it if you \w.+",
        (
            "I like it when you begin with an example.",
            "I love papaya.",
            "I can't stand the smell of lavender.",
            "We prefer trains to planes.",
            "I don't like horror films.",
            "I hate when people drop 100 lines without a word.",
            "I loved the last Avengers film.",
            "I'd appreciate it if you kept it formal.",
        ),
        (
            "I'd like a coffee.",
            "I like it.",
            "I like this one.",
            "I love how you wrote that.",
            "Do you like jazz?",
            "Rita loves jazz.",
            "I loved talking to you.",
        ),
    ),
    FormationRule(
        "favourite",
        "preference",
        r"(?:one of |some of |among )?(?:my|our) (?:[\w'-]+ )?(?:all[- ]time )?favou?rites? "
        r"(?!part of (?:this|that|the)\b)(?:[\w'-]+ ){0,6}(?:is|are|was|has always been|would be|will always be)\b "
        r"(?!(?:that|this|it)\b).+"
        r"|(?!it\b|this\b|that\b|these\b|those\b|here\b)[^,.;:]{2,60} (?:is|are|has always been) "
        r"(?:one of |among |still )?(?:my|our) (?:[\w'-]+ )?favou?rites?\b.*",
        ("My favourite colour is teal.", "Ginger is my favourite spice.", "My favorite band has always been Wire."),
        ("That is my favourite.", "What's your favourite colour?", "My favourite part of this is the end."),
    ),
    FormationRule(
        "taste",
        "preference",
        r"(?:i|we) (?:am|are|have (?:always )?been) (?:not )?(?:an? |much of an? )?(?:(?:big|huge|great|massive"
        r"|real|true|bit of an?|total|complete|avid|die-hard|long-?time) )*(?:fan of|lover of|fond of|keen on"
        r"|partial to|into(?! (?:my|the|our) (?:\w+ )?(?:first|second|third|fourth|last|next)\b)|obsess\w+ "
        r"(?:with|about)|addicted to|crazy about|mad about|sucker for|picky about|sick of|fed up with|tired of"
        r"|averse to|allergic to (?:meetings|noise)|not comfortable with|uncomfortable with|passionate about"
        r"|particular about|not (?:totally |entirely |fully )?happy with|annoyed by|bothered by) (?!(?:it|this"
        r"|that|them|you|your)\b)\w.+"
        r"|(?:i|we) (?:am|are) (?:a|an|more of an?|not an?) (?:[\w-]+ ){0,2}(?:person|lover|addict|fan|type"
        r"|enthusiast|aficionado|junkie|nerd|snob|buff)\b(?! who).*"
        r"|not (?:keen on|fond of|big on|into) (?!(?:it|this|that)\b)\w.+"
        r"|(?:\w+ ){1,6}(?:is|are) not (?:my thing|for me|my cup of tea|my style)\b.*",
        (
            "I'm a big fan of superhero movies.",
            "I'm into bouldering.",
            "I'm obsessive about naming.",
            "I'm more of a tea person.",
            "Crowds are not my thing.",
            "Not too keen on video calls.",
        ),
        ("I'm into my third coffee.", "Are you a fan of jazz?", "I'm fond of it."),
    ),
    FormationRule(
        "rather",
        "preference",
        r"(?:i|we) would (?:much |always |far )?(?:rather|sooner|prefer)\b(?! (?:not )?(?:this|that|it)\b).* "
        r"(?:than|instead of|over|rather than) \w.+"
        r"|(?:i|we) (?:always|usually|mostly|generally|tend to|would) (?:go for|choose|pick|opt for|take|favou?r) "
        r"(?!(?:it|this|that)\b).+"
        r"|(?:i|we) (?:want|need|like) (?:the|my|all) [\w' -]{2,40} "
        r"(?:first|last|before|above|at the (?:top|end)|in (?:one|the)|on (?:one|the)|with|without|as)\b .*\b"
        r"(?:and|only then|then|before|second|not|rather)\b.*"
        r"|(?:i|we) (?:(?:do )?(?:like|want|prefer|need|take)) my "
        r"(?:coffee|tea|eggs|steak|code|commits|mornings|weekends|answers|reports|meetings|food|music|room|house|home"
        r"|bed|toast|pizza|work|desk|[\w-]+s) (?!to be (?:done|fixed))\w.+",
        (
            "I'd rather walk than drive.",
            "I like my coffee black.",
            "I want my reports on one page.",
            "I usually go for the aisle.",
            "I want the totals first and then the details.",
        ),
        ("I'd rather not.", "I want my money back."),
    ),
    FormationRule(
        "matters_to_me",
        "preference",
        r"(?:i|we) would prefer (?!(?:not|this|that|it|if|to (?:see|know|hear|speak|talk))\b)\w.+"
        r"|(?:i|we) do not (?:mind|want (?:any|to (?:use|have|rely|depend|deal|work|be))) "
        r"(?!(?:it|this|that|them)\b)\w.+"
        r"|(?!(?:it|this|that|what|who|which|he|she)\b)(?:[\w'-]+ ){1,6}(?:is|are) "
        r"(?:important|crucial|essential|sacred) (?:to|for) (?:me|us)\b.*"
        r"|(?!(?:it|this|that|what|who|which|your|you|these|those)\b)(?:[\w'-]+ ){1,6}"
        r"(?:bothers?|annoys?|scares?|stress(?:es)?|relax(?:es)?|bores?|drives?|makes?|means?|matters?) "
        r"(?:me|us|a lot to (?:me|us)|to (?:me|us))\b(?! (?:think|wonder|feel like|want))"
        r"(?:(?<=me)|(?<=us)| (?:crazy|mad|nervous|uncomfortable|happy|sick|sad|anxious|sleepy|calm)).*"
        r"|(?:i|we) care (?:a lot |deeply |more )?about \w.+"
        r"|(?:i|we) (?:cannot live|cannot do|would not go anywhere) without (?!(?:it|this|that|you)\b)\w.+",
        (
            "I'd prefer a window seat.",
            "I don't mind long walks.",
            "Privacy is important to me.",
            "Crowds make me nervous.",
            "I don't want to use mocks.",
            "I care about privacy.",
            "I cannot live without coffee.",
        ),
        ("I'd prefer not to.", "It makes me sad.", "That means a lot to me."),
    ),
    FormationRule(
        "habit_of_taste",
        "preference",
        r"(?:i|we) (?:strictly |always |usually |try to |tend to |generally )*"
        r"(?:avoid|steer clear of|stay away from|shun|swear by|gravitate towards?|lean towards?|insist on|refuse to) "
        r"(?!(?:it|this|that|them)\b)\w.+"
        r"|(?:i|we) (?:do not|never|only|mostly|exclusively|rarely|no longer|hardly ever|seldom) (?:ever )?"
        r"(?:eat|drink|fly|wear|watch|read|listen to|buy|shop|travel|order|stay in|stay at|smoke|cook"
        r"|take (?:milk|sugar)|do (?:meetings|mornings|calls)|go (?:out|to)|use) (?!(?:it|this|that|them|much)\b)\w.+"
        r"|(?!it\b|this\b|that\b)(?:[\w'-]+ ){1,8}(?:works?|suits?|fits?|reads?) (?:me |us )?"
        r"(?:much |far |way |a lot )?(?:best|better)\b(?: (?:for|with) (?:me|us))\b.*"
        r"|(?!it\b|this\b|that\b)(?:[\w'-]+ ){1,8}(?:suits?|fits?) (?:me|us) (?:much |far )?(?:best|better)\b.*"
        r"|(?!it\b|this\b|that\b)(?:[\w'-]+ ){1,6}(?:is|are|do|does) (?:much |far |way )?"
        r"(?:easier|better|harder|nicer|nothing|worse|best|easiest|hard|easy|enough) for (?:me|us)\b.*"
        r"|(?:i|we) find (?!it\b|this\b|that\b|them\b|myself\b|out\b)[\w' -]{2,60}\b"
        r"(?:annoying|boring|confusing|distracting|useful|helpful|hard|easier|easy|ok|okay|fine|beautiful|ugly|tiring"
        r"|exhausting|relaxing|pointless|stressful|creepy|patronizing|overwhelming|disgusting|delicious)\b.*"
        r"|(?:i|we) (?:learn|work|sleep|think|read|write|concentrate|study|remember things?) "
        r"(?:best|better|most easily|by) .+"
        r"|(?:the )?(?:less|more|fewer) [\w' -]{2,40}, the better\b.*",
        (
            "I avoid gluten.",
            "I don't drink coffee.",
            "I only fly with Lufthansa.",
            "Mornings suit me best.",
            "Short lists work best for me.",
            "Mornings are easier for me.",
            "I find long menus confusing.",
            "I learn best by doing.",
            "The less sugar, the better.",
        ),
        ("I don't use it.", "I avoided him.", "That works best."),
    ),
    FormationRule(
        "leanings",
        "preference",
        r"(?:i|we) (?:am|are) (?:more|mostly|mainly|most) (?:into|a fan of|fond of|interested in|comfortable with"
        r"|drawn to) (?!(?:it|this|that|you)\b)\w.+|(?:i|we) would rather (?:have|use|get|read|keep|work|stay|eat"
        r"|drink|watch|do|see|not \w+) (?!(?:it|this|that|you|not)\b)\w.+"
        r"|nothing beats (?!(?:it|this|that)\b)\w.+|(?:i|we) (?:do )?(?:like|love|enjoy|prefer) [\w' -]{2,50} "
        r"(?:better|more|over) (?:than )?\w.+|(?:i|we) would prefer not to (?:use|have|work|rely|depend|pay|share"
        r"|wait|drive|fly|eat|deal)\b.+"
        r"|(?:i|we) (?:want|need|like|would like|expect) my [\w' -]{2,40} to (?:be|look|feel|stay|have|read) (?!"
        r"(?:done|fixed|able|ready)\b).+|(?:i|we) would like to keep (?:it|things|everything) (?:simple|short"
        r"|small|light|formal|informal|casual|minimal|clean)\b.*",
        (
            "I'm more into indie music.",
            "I'd rather have short answers.",
            "Nothing beats a good espresso.",
            "I like promises better than callbacks.",
            "I'd prefer not to use an ORM.",
            "I want my code to be readable above all.",
            "I'd like to keep it simple.",
        ),
        ("I'd rather not.", "I'd prefer not to."),
    ),
)
