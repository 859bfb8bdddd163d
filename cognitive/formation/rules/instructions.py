"""Standing instructions to the assistant, which hold from now on, not in this turn only."""

from __future__ import annotations

from cognitive.formation.rules.matching import FormationRule
from cognitive.formation.rules.words import TO_DO, WE

_FROM_NOW_ON = (
    r"(?:from (?:now|here|today|this point|that point|here on) (?:on|out|onwards?|forward)|from now(?! on)"
    r"|going forward|moving forward|henceforth|in (?:the )?future|for (?:all )?(?:the )?future \w+"
    r"|as a (?:general |standing )?rule|by default|for good|permanently)"
)
_WHENEVER = (
    r"(?:whenever|every time|each time|any ?time|next time|the next time|(?:if|when) (?:i|we)(?: ever)?|in all "
    r"(?:your|our)|for (?:all|every|any|each))"
)
# Words before the verb of an instruction.
_PLEASE = (
    r"(?:(?:please|kindly|(?:can|could) you(?= (?:please )?(?:always|never|stop|keep)\b)"
    r"|you (?:should|must|can|need to|have to|are to|may|will|could)"
    rf"|{WE} (?:would )?(?:want|need|expect|like|prefer|would like|ask)(?: for)? you to"
    r"|make sure (?:to|you|that you)|be sure to|remember to|try to|feel free to)\s*)*"
)
_DO = rf"(?:(?:always|never|only|do not|not|first|ever)\s)*{TO_DO}\b"
# What an instruction about a project is not about: one thing of this turn, or a few of them.
_ONE_THING = (
    r"(?:it|this|that|these|those|them|the|my|your|an?|some|one|two|three|four|five|\d+|only (?:one|the)|more|another)"
)

RULES = (
    FormationRule(
        "from_now_on",
        "instruction",
        rf"(?:please,? )?{_FROM_NOW_ON},? (?!(?:i|we|my|our|he|she|they|it|the)\b).*\b{TO_DO}\b"
        rf"|(?:please,? )?{_FROM_NOW_ON},? (?:i|we) (?:would )?(?:want|need|expect|like|prefer)\b"
        rf"|{_PLEASE}{_DO}.*\b{_FROM_NOW_ON}[.!]*$"
        rf"|{_PLEASE}{_DO} .*\b(?:in (?:the )?future|from now on)\b",
        (
            "From now on, answer in French.",
            "In future, please add a test to every fix.",
            "Please use metric units from now on.",
            "Going forward I want you to sign with my initials.",
        ),
        (
            "From now on we ship on Mondays.",
            "The store is open from now on.",
            "Answer in French.",
            "In the future, cars will fly.",
        ),
    ),
    FormationRule(
        "always_never",
        "instruction",
        rf"(?:and |but |also |then )?{_PLEASE}(?:always|never|(?:do not|not) ever|only ever"
        rf"|under no circumstances)(?: ever| again)? (?!mind\b|been\b){TO_DO}\b",
        (
            "Always answer in metric units.",
            "Never push to main.",
            "can you always give me metric units",
            "Please never call me before nine.",
            "You should always run the linter first.",
            "I want you to always cite a source.",
        ),
        (
            "Never mind.",
            "I always answer in French.",
            "Always a pleasure.",
            "Never been there.",
            "Should I always use a lock?",
        ),
    ),
    FormationRule(
        "whenever",
        "instruction",
        rf"(?:please,? )?{_WHENEVER},? (?!(?:i|we) \w+,? (?:i|we)\b)(?:[^,]{{2,90}}, ?(?:then )?(?:please )?(?:"
        rf"{_PLEASE}{_DO}|i (?:want|need|expect) you to\b)|(?:[^,]{{2,60}} )?(?:i want you to|you (?:should"
        r"|must|need to|have to)|please)\b)"
        rf"|{_PLEASE}(?!let me know\b|.*\byour(?:self)?\b){_DO} .*\b(?:whenever|every time|each time|any ?time"
        r"|next time|the next time|(?:if|when) i (?:ask|say|tell|mention|type|write|send|am|do|paste)|unless i"
        r"|until i (?:say|tell|ask)|in (?:every|all|each|any) \w+|(?:before|after) (?:every|each|any)(?: \w+ing"
        r"| \w+)?|without (?:asking|my (?:approval|consent|ok|permission)|being asked)|again|any ?more|every "
        r"(?:day|morning|evening|night|week|month|hour|\w+day)|for (?:each|every|all|any)|without exception"
        r"|no exceptions)\b"
        rf"|{_PLEASE}{_DO} (?:\S+ ){{1,30}}(?:always|ever|every (?:single )?time|without exception"
        r"|no exceptions)[.!]*$"
        rf"|{_PLEASE}{_DO} .*\b(?:but|and) (?:never|always) {TO_DO}\b.*",
        (
            "When I say night mode, dim the hall to 20 %.",
            "Next time, please ask me before you delete anything.",
            "Show the diff every time you change a file.",
            "Don't commit without asking me.",
            "Don't use emojis again.",
            "Remind me to stretch every morning.",
            "Check the backups every single time.",
            "Read the logs but never change them.",
        ),
        (
            "When I say night mode I mean dark.",
            "Whenever I cook, I burn something.",
            "Next time we go by train.",
            "Say that again?",
        ),
    ),
    FormationRule(
        "stop",
        "instruction",
        rf"{_PLEASE}(?:stop(?: with the)?|quit|no more|enough with the) (?:asking|adding|using|saying|calling|sending"
        r"|suggesting|apologi[sz]ing|repeating|giving|telling|changing|making|writing|putting|including"
        r"|recommending|offering|assuming|showing|explaining|summari[sz]ing|praising|creating|being|emojis?"
        r"|bullet points|em dashes|apologies|questions|comments|summaries|jokes)\b"
        r"|(?:please )?do not (?:ask|tell|call|address|lecture|flatter|remind|spam|interrupt|give) me\b(?!.*\b"
        r"(?:now|today|the|that|this)\b)",
        (
            "Stop apologising.",
            "Please stop adding comments to my code.",
            "No more emojis, please.",
            "Could you stop with the emojis please",
            "Don't call me sir.",
        ),
        ("Stop playing music.", "Don't tell me the end.", "Stop the timer."),
    ),
    FormationRule(
        "form_of_answers",
        "instruction",
        rf"{_PLEASE}(?:keep|make|write|give|limit|format|phrase) "
        r"(?!the (?:code|output|names)(?: please| pls)?[.!]*$)(?:all |all of )?(?:your|the|all|every) "
        r"(?:\w+ )?(?:answers|responses|replies|messages|explanations|summaries|comments|commits|commit messages"
        r"|code|output|tone|language|emails|names)\b(?!.*\bto\b.*:)"
        rf"|{_PLEASE}(?:answer|reply|respond|write|speak|talk|explain)(?: to)?(?: me| us| things)? (?:only "
        r"|always )(?:in|with|as|using|like)\b"
        rf"|{_PLEASE}(?:only|exclusively) (?:use|answer|reply|respond|write|speak|suggest|recommend|show|send"
        r"|call|contact)\b"
        r"|(?:i|we) (?:would )?(?:only )?(?:want|need|expect|prefer|like)(?: to)? (?:only |all |every )"
        r"(?:\w+ ){0,3}(?:answers|responses|replies|code|messages|functions|tests|files|one|prompts?)\b"
        r"|(?:i|we) (?:would )?(?:want|need|expect|prefer|like) your (?:answers|responses|replies|messages"
        r"|explanations|code|tone)\b",
        (
            "Keep your answers short.",
            "Please make all commit messages imperative.",
            "Only suggest vegetarian recipes.",
            "I want all answers in German.",
            "I want your answers short.",
        ),
        ("Keep the change.", "Write the letter.", "I only want one ticket.", "Format the code pls."),
    ),
    FormationRule(
        "remember_to",
        "instruction",
        r"(?:please |also |and )*(?:always )?(?:remember|do not forget|keep in mind|bear in mind|make sure"
        r"|be sure)(?: that)?(?: to| you (?:always|never|must|should|have to|need to)) (?!(?:me|we|i)\b)"
        rf"(?:always |never |not |only )*{TO_DO}\b(?=.*\b(?:always|never|every|each|any|all|when|before|after"
        r"|in future|from now on)\b)",
        ("Remember to run the linter before every commit.", "Make sure you always cite the page."),
        ("Remember to breathe.", "Make sure it works.", "I remember to run."),
    ),
    FormationRule(
        "to_be_done",
        "instruction",
        r"(?!(?:it|this|that|there|he|she|who|what)\b|.*\b(?:for good|on (?:the|\w+day))\b)(?:[\w'-]+ ){1,5}(?:is|are) "
        r"(?:always |never |only )?to be "
        r"(?!(?:sure|fair|honest|expected|precise|seen|found|blamed)\b)\w+(?:ed|en|wn|ne|pt|de|ut|ld)\b.*"
        r"|(?:i|we) (?:do not|never) (?:want|need|like)(?: to (?:see|hear|read|get|have))? .*\b(?:any ?more|ever"
        r"(?: again)?|again)\b.*|no (?:more )?(?:emojis?|bullet points|em dashes|apologies|exclamation marks"
        r"|jargon|small talk|flattery|filler|headings|tables|jokes|spoilers)\b.*",
        ("Prices are to be quoted without VAT.", "I don't want to see a single emoji any more.", "No bullet points."),
        ("He is to be seen at ten.", "I don't want to go."),
    ),
    FormationRule(
        "not_without",
        "instruction",
        rf"{_PLEASE}(?:ask|check with|confirm with|consult|warn|tell|inform|notify) (?:me|us)(?: first)? "
        r"(?:before|whenever|when|if|each time|every time)\b"
        rf"|{_PLEASE}do not (?:ever )?{TO_DO} .*\b(?:unless|without (?:asking|checking|confirming|telling|my"
        r"|permission)|before (?:asking|i|checking))\b"
        r"|you (?:are(?: not)? allowed to|have (?:my )?permission to|are never to|must not|must never"
        r"|should never|are should never|may never|never need to) ",
        (
            "Ask me before you delete a file.",
            "Don't merge unless the tests pass.",
            "You must not touch the vendor folder.",
        ),
        ("Ask me anything.", "Don't worry."),
    ),
    FormationRule(
        "bare_rule",
        "instruction",
        r"(?:please )?(?:do not|avoid) "
        r"(?:use|using|add|adding|write|writing|include|including|suggest|suggesting|recommend|recommending|mention"
        r"|mentioning|create|creating|put|putting|invent|inventing|hardcode|mock|mocking|assume|assuming|introduce"
        r"|introducing|give me|send me|show me) "
        r"(?!(?:it|this|that|these|those|them|the|any of|my (?:name|number|address)|more than|me|another|one|him|her"
        r"|anything (?:else|now))\b)[\w'-]+(?: [\w'-]+){0,7} ?[.!]*$"
        r"|(?:please )?(?:use|prefer|stick to|write in|follow) (?:[\w-]+ ){1,3}"
        r"(?:spelling|units?|notation|quotes|indentation|naming|english|punctuation|conventions?|grammar|currency"
        r"|date formats?|commit messages)\b"
        r"(?!.*\b(?:this|here|the (?:file|function|text|letter|email)|for (?:the|this|that))\b).*"
        r"|(?:please )?only (?:give|tell|list|include|offer|recommend|send|show|quote|cite|order|buy) "
        r"(?!(?:me )?(?:one|the|this|that|a|an|it|two|three)\b)\w.+"
        r"|(?:please )?(?:before|after|once) you (?!(?:go|leave|start with|get|do (?:it|this|that))\b)[^,]{3,60}, "
        rf"(?:please )?(?:always )?{_DO}.+",
        (
            "Don't use semicolons in my code.",
            "Use British spelling.",
            "Only give me vegetarian options.",
            "Before you commit, run the tests.",
        ),
        ("Don't use it.", "Don't add the file.", "Answer in one word.", "Only give me the code.", "Answer in detail."),
    ),
    FormationRule(
        "standing_manner",
        "instruction",
        # in a project: "Use tabs in this repo"
        rf"{_PLEASE}(?:use|prefer|stick (?:to|with)|avoid|indent|(?:do not|never) (?:use|add)) "
        rf"(?!{_ONE_THING}\b|.*\b(?:now|yet|today|here|first)\b)(?:[\w'+#./-]+,? ){{1,8}}?(?:in|for|across) "
        r"(?:this|our)(?: whole)? (?:repo|repository|project|code ?base|monorepo|workspace)(?: please)?[.!]*$"
        # of all that the user writes: "Correct every mistake I make"
        r"|(?:please )?(?:correct|point out|proofread|translate) (?:every|each|any|all|everything|whatever)\b(?!.*(?::"
        r"|\b(?:now|here|today|below|so far)\b)) (?:[\w'-]+ )*?(?:that |which )?i (?:make|write|say|send|type|post)\b.*"
        # of all texts of a kind: "Sign all letters with our names"
        r"|(?:please )?(?:sign|begin|start|end|prefix) (?:all|every|each|any) (?:of )?(?:(?:the|my|our) )?(?:\w+ )?"
        r"(?:e-?mails?|mails?|letters?|messages?|repl(?:y|ies)|answers?|responses?|commits?|posts?|invoices?) "
        r"(?:with|as) (?!(?:a |an )?(?:different|new|unique|random|another)\b).*"
        # of texts that the assistant writes: "When you write tests always use fixtures"
        r"|(?:when|whenever|before) you (?:write|create|draft|add|change|edit|review|answer|reply|suggest|recommend"
        r"|explain|translate|book|plan|refactor|commit|cite|quote) (?!.*\b(?:the|this|that|these|those|it|my)\b.*"
        rf"\b(?:always|never|do not)\b)(?:[\w'-]+ ){{1,6}}(?:please |you )?(?:always|never|do not) {TO_DO}\b.*"
        # "When I write French answer in French"
        r"|(?:when|whenever|if) i (?:write|ask|speak|talk|say|text)"
        r"(?: (?!(?:an?|the|this|that|him|her|them)\b)[\w'-]+){1,5},? (?:please |then |always |only )*"
        r"(?:answer|reply|respond|speak|write|talk|switch) (?:only )?(?:to|in|with|as)\b(?! (?:him|her|them|my)\b).*"
        # "Aisle seat always please"
        r"|(?!(?:it|this|that|an?|one|two|three|four|\d+)\b|.*\bas always\b)(?:[\w'-]+ ){1,4}always,? (?:please"
        r"|pls)[.!]*$"
        # "Don't count calories for me"
        r"|(?:please )?do not (?:count|track|log|correct|summari[sz]e|translate) (?!(?:this|its|his|yours|as)\b)"
        r"[a-z-]{3,}s(?: and [a-z-]+s)? for me[.!]*$",
        (
            "Use tabs, not spaces in this repo.",
            "Please correct every mistake I make.",
            "Sign all letters with our names.",
            "When you write tests always use fixtures.",
            "When I write in French answer in French.",
            "Aisle seat always please.",
            "Don't count steps for me.",
        ),
        (
            "Use the second one in this project.",
            "Find the typo in this repo.",
            "List two typos in my project.",
            "Follow the steps in our project wiki.",
            "Indent the list in my project notes.",
            "Don't use mocks in this project for now.",
            "Don't add tests in this repo yet.",
            "Check all the files I sent.",
            "Add up all the prices I give you: 3, 4, 5",
            "Translate all the lines I type now.",
            "Start all the servers.",
            "Sign the letter with my name.",
            "Begin my email with a pun.",
            "Start our post with a fact.",
            "Sign my letter as Rosa.",
            "Close all letters by Monday.",
            "Close all posts with the same title.",
            "Open all messages with images.",
            "Give costs in dollars.",
            "Show me the distances in miles.",
            "Don't count steps today.",
            "Don't show rows in this table.",
            "Don't send flowers.",
            "Don't copy answers blindly.",
            "Don't list names from the table.",
            "Don't rename functions.",
            "When you write the report always use tables.",
            "If I write a card to my aunt use her full name.",
            "Three teas always please.",
        ),
    ),
)
