"""The phrases that make a message small talk, and word groups that need special treatment."""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

SOCIAL, ANSWER, CONTINUE = "social", "answer", "continue"
OK = "answer.ok"  # ends a conversation as often as it answers

_PLEASED = (
    r"(?:nice|good|great|lovely|glad|pleased|happy|pleasure|fun|pleasant|wonderful|awesome|delighted|enjoyed"
    r"|enjoy|honou?r)"
)
_SEE = (
    r"(?:to )?(?:(?:meet|see|hear from|talk to|talk with|speak to|speak with|chat with|know)(?:ing)?|meeting|seeing"
    r"|talking|chatting|speaking|hearing)(?: (?:to|with|from))? (?:you|u|ya)"
)
_PRAISE = (
    r"(?:good|great|nice|fine|cool|awesome|perfect|excellent|wonderful|amazing|fantastic|brilliant|lovely|super|sweet"
    r"|neat|helpful|useful|thoughtful|impressive|interesting|funny|beautiful|incredible|terrific|outstanding|fabulous)"
)
_IDEA = r"(?:one|ones|option|choice|approach|idea|suggestion|alternative|version|way|solution|plan|step|question)"
_OBJECT = r"(?:it|that|this|so|them|those|both|all of (?:it|them)|the same|the rest)"
_AND = r"^(?:and |but |so |or |then |oh |ok |okay |wait |sorry |yes |no |well |hm+ )*"
_QUITE = r"(?:(?:so|very|really|entirely|completely|totally|quite|too|100|exactly|all that|at all) )*"


def _row(
    signal: str, name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...] = ()
) -> Rule:
    return Rule(f"{signal}.{name}", signal, rf"\b(?:{pattern})\b", examples=examples, counterexamples=counterexamples)


PHRASES = (
    _row(
        SOCIAL, "hello",
        r"he+y+|h+i+|hiya+|heya+|hello+|hullo|hallo|howdy|yo+|sup|wassup|greetings|salutations|hola|bonjour|namaste"
        r"|aloha|ahoy"
        r"|gday|long time no see|welcome back",
        ("hey", "Hello!", "hi there", "heyyy", "Hey there, buddy!", "hello world", "Hi Bob!", "hola"),
        ("hello world program fails", "hidden files", "yolo v5 weights"),
    ),
    _row(
        SOCIAL, "daypart", r"good (?:morning|afternoon|evening|night|day)|^(?:morning|evening|afternoon|gm|gn)|night "
        r"night",
        ("good morning", "Good evening!", "morning!", "good night everyone"),
        ("morning standup notes", "good morning routine ideas"),
    ),
    _row(
        SOCIAL, "elsewhere",
        r"guten (?:morgen|tag|abend)|gute nacht|tsch(?:\x{fc}|ue)ss|buen[oa]s (?:d(?:\x{ed}|i)as|tardes|noches)"
        r"|bonsoir|salut|buon(?:giorno|asera| giorno)|bom dia|boa (?:tarde|noite)"
        r"|(?:danke|merci|gracias|grazie|obrigad[oa])"
        r"(?: (?:dir|sch(?:\x{f6}|oe)n|sehr|vielmals|beaucoup|bien|mille|tante|muchas))?|muchas gracias|vielen dank",
        ("guten Morgen", "danke dir!", "merci beaucoup", "buenos d\u00edas", "vielen Dank!"),
        ("guten Morgen im Log", "merci de corriger le bug", "salut les tests"),
    ),
    _row(
        SOCIAL, "season",
        r"happy (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|holidays?|new year|easter|birthday)"
        r"|merry (?:christmas|xmas)",
        ("happy Friday!", "Merry Christmas"), ("happy birthday card ideas", "a happy weekend trip plan"),
    ),
    _row(
        SOCIAL, "how_are_you",
        r"(?:and |so )?how (?:are|r|have) (?:you|u|ya|things|yall)(?: been| doing| going)?|how do you do"
        r"|how(?:s| is| are| was| has) (?:it going|it hanging|things|everything|everybody|life|(?:your|the) "
        r"(?:day|morning|evening|afternoon|night|week|weekend))(?: been| going| so far| treating you)*|how goes it"
        r"|how you (?:doing|been)|hows it",
        ("how are you?", "hey how's it going", "How have you been lately?", "how's your day going so far"),
        ("how is it deployed", "how are you deployed on k8s", "how do you do a rollback", "how are things in the API"),
    ),
    _row(
        SOCIAL, "whats_up",
        r"(?:and |so )?(?:whats|what is|what has been) (?:up|new|happening|going on|cracking|shaking|popping|the news)"
        r"(?: with (?:you|u|ya))?|what have you been (?:up to|doing)|what are you up to",
        ("what's up", "What's up?", "hey, what is going on", "what's new", "what have you been up to lately"),
        ("what's up with the failing build?", "what's new in Python 3.12", "what is going on with the deploy"),
    ),
    _row(
        SOCIAL, "are_you_well",
        r"(?:are you|r u|is everything|is it all|everything|you|hope you are|hope youre|hope all is|hope everything "
        r"is) "
        r"(?:(?:doing|feeling|going|having) )?(?:(?:a|very|really) )?(?:ok|okay|alright|all right|well|good|great"
        r"|fine)",
        ("are you ok?", "is everything going alright with you", "hope you are doing well", "you good?"),
        ("is everything ok with the build", "are you good at SQL"),
    ),
    _row(
        SOCIAL, "and_you", r"^(?:and you|what about you|how about (?:you|yourself)|and yourself|same to you|you too)",
        ("and you?", "how about yourself?", "you too!"), ("what about your schema?",),
    ),
    _row(
        SOCIAL, "pleased",
        rf"{_PLEASED}(?: (?:time|just))? {_SEE}|(?:we|to) (?:got to|get to|could|had|have) (?:this |a )?(?:chat|talk"
        rf"|speak|meet)",
        ("nice to meet you", "It was great chatting with you!", "good to see you again", "glad we got to chat"),
        ("it was nice to meet the team in Berlin",),
    ),
    _row(
        SOCIAL, "bye",
        r"good ?bye+|b+y+e+|buh bye|farewell|adios|ciao|cheerio|so long|cya|ttyl|au revoir|sayonara|^later|laters"
        r"|peace out"
        r"|(?:see|catch|talk to|speak to|talk with|chat with) (?:you|ya|u|yall)(?: (?:later|soon|around|tomorrow|then"
        r"|next"
        r" time|another time|in a bit))?|(?:talk|speak|chat) (?:again )?(?:later|soon|tomorrow)|until (?:next time"
        r"|then|we meet)"
        r"|take care|take it easy|stay safe|sleep well|sweet dreams|over and out|toodles|hasta la vista|signing off"
        r"|^peace$",
        ("bye", "see you later", "Goodbye!", "talk to you soon", "catch you later, man", "until next time",
         "take care"),
        ("see you later in the log", "later versions of Redis", "bye-law draft"),
    ),
    _row(
        SOCIAL, "have_a_day",
        r"(?:have|enjoy) (?:a|an|the rest of)?(?: ?(?:very|really|truly|your|the|a|an))* ?(?:nice|good|great|lovely"
        r"|wonderful"
        r"|fantastic|amazing|awesome|pleasant|blessed|safe|fun)?(?: (?:rest of (?:your|the)))? ?(?:day|one|night"
        r"|evening"
        r"|morning|afternoon|weekend|week|time|trip|holiday)(?: ahead)?",
        ("have a nice day", "Have a great weekend!", "enjoy your evening"),
        ("have a look at the schema", "have a nice table for the API", "enjoy hiking"),
    ),
    _row(
        SOCIAL, "leaving",
        r"(?:have to|gotta|got to|need to|must|should|better|will|going to|gonna|about to|time to|let me) "
        r"(?:(?:probably|really) )?(?:go|run|leave|head out|head off|get going|be going|be off|say (?:good ?bye|bye))"
        r"|(?:im|i am) (?:off|out|leaving|done here|heading out|out of here|logging off|signing off)|brb|be right "
        r"back|gtg"
        r"|thats (?:all|it|everything)(?: (?:for (?:now|today|me)|i need(?:ed)?))*|(?:that is|that will be|thatll be) "
        r"all"
        r"|nothing else|no more questions|all set|were done",
        ("gotta go", "I have to run now", "that's all for now", "I'm heading out", "brb", "nothing else"),
        ("I have to run the migration", "that's all the logs", "I'm out of disk"),
    ),
    _row(
        SOCIAL, "thanks",
        r"thanks+|thank (?:you|u|ya)(?: for (?:answering|helping|your (?:help|time|answer)))?|thankyou|thx+|thnx|tnx"
        r"|ty|tysm|cheers|much obliged|merci|gracias|danke|arigato"
        r"|grazie|obrigado|kudos|bless you|i owe you(?: one)?|(?:couldnt|could not) have done (?:it|that|this)"
        r"|(?:thanks|thank you)(?: (?:so much|very much|a lot|again))* for (?:that|this|it|all that|doing (?:that|it"
        r"|this))",
        ("thanks a lot!", "thank you so much", "thx", "Thanks for your help!", "many thanks", "Thank you Bob"),
        ("thanks for the schema, what about Redis?", "thanks to the cache it is fast", "thankless work"),
    ),
    _row(
        SOCIAL, "appreciate",
        r"appreciated?(?: (?:it|that|this|you|your|the|all))*|grateful(?: for (?:it|that|this))?|thankful|obliged",
        ("I appreciate it", "really appreciate your help", "much appreciated", "I'm so grateful"),
        ("I appreciate Redis", "we appreciate the API docs"),
    ),
    _row(
        SOCIAL, "praise",
        rf"^(?:that|this|it|all|thats|its|oh|wow|you|youre|how|what|looks|sounds|very|so|really|pretty|just) ?"
        rf"(?:(?:that|this|it|is|was|were|are|all|very|so|really|pretty|just|super|been|have|has|a|an|the|kinda|most) "
        rf")*{_PRAISE}"
        rf"|^{_PRAISE}|{_PRAISE} (?:job|work|answer|response|idea|point|stuff|bot|news)|(?:youre|you are|ur) (?:the "
        rf"best|a star"
        r"|a (?:life ?saver|legend|genius))|you rock|what i needed|a (?:great|big|huge|real) help|well done|way to go"
        r"|congrats"
        r"|congratulations|bravo|(?:that|this|it|which)(?: (?:really|has))* (?:help(?:s|ed)|work(?:s|ed)|did the "
        r"trick|rocks)"
        r"|love (?:it|that|this)|good to know|you(?:ve| have) been",
        ("great job", "you're the best", "that was very helpful", "Awesome!", "well done", "that helps a lot", "great"),
        ("great idea about Redis", "that helps the API", "it works on Linux", "good database for logs"),
    ),
    _row(
        SOCIAL, "interjection",
        r"(?:o+h+|a+h+|aha|uh+|um+|h+m+|hu+h|wow+|whoa|yay+|oops|ugh+|phew|gosh|geez|damn|omg|lo+l|lmao|rofl|xd"
        r"|(?:ha)+h?|hehe+|meh|mhm+)$|haha+|uh huh|mhm+|i (?:see|get it|got it|understand)$|^got (?:it|that)|gotcha"
        r"|understood|^noted"
        r"|makes sense|fair enough|no (?:problem|problems|worries|prob|biggie)|np|nvm|never ?mind|forget (?:it|about "
        r"it|that)"
        r"|dont (?:worry|mention it)|(?:youre|you are)(?: (?:so|very|most|quite))* welcome|^welcome|my pleasure|any "
        r"?time"
        r"|^sorry|my bad|i apologi[sz]e|excuse me|pardon|same here|^me too|likewise|^testing|^test$|(?:is )?(?:anyone"
        r"|anybody)"
        r" (?:there|here)|(?:are )?you there|all good|not (?:too )?bad|(?:im|i am)(?: doing)?(?: (?:very|pretty"
        r"|quite))* "
        r"(?:good|well|fine|ok|okay|great|alright)",
        ("haha", "got it", "I see", "no worries", "nevermind", "makes sense", "lol", "you're welcome", "I'm fine"),
        ("I see an error", "got it working on Linux", "nevermind the API", "test the build",
         "sorry to hear about Redis"),
    ),
    _row(
        "answer", "ok",
        r"^(?:o+k+|okay+|okie|okey|k|kk|alright+|all right|alrighty|right|fine|very well)",
        ("ok", "okay", "alright then", "kk"), ("ok google home setup", "right join in SQL", "k8s"),
    ),
    _row(
        ANSWER, "yes",
        r"y+e+s+|ye+p+|yu+p+|yeah+|yea+|yah?|aye|oui|affirmative|absolutely|definitely|certainly|surely|exactly"
        r"|precisely"
        r"|(?:that|it|this|thats|its|i think|youre|you are)(?: (?:is|was|sounds|seems|totally|absolutely|completely"
        r"|indeed|all"
        r"|quite|very|so|certainly|the|a))* (?:right|true|correct|factual|accurate|truth|fact)|^(?:true|correct|right"
        r"|indeed|sure)"
        r"|sure thing|of course|for sure|you bet|you got it|(?:no|without a|without any) doubt|by all means|i "
        r"(?:fully |totally )?agree|in (?:full )?agreement"
        r"|agreed|^(?:yes )?please(?: do)?|sounds (?:good|great|fine|right)|works for me|^done|^deal|^why not|fine by "
        r"me|10 4"
        r"|i (?:think|believe|guess|suppose|hope) so|^i (?:do|am|did|have|will|would)$|(?:id|i would|ill) (?:love"
        r"|like) (?:to|that|it)$"
        r"|i (?:want|need|like) (?:that|it)$|roger|confirmed|i (?:can )?confirm|^(?:positive|correctamundo|okey dokey)",
        ("yes", "yep", "yes please", "sure", "That's right", "that is correct", "I think so", "my answer is yes",
         "sounds good"),
        ("yes, use Postgres for the API", "sure the cache is warm", "true positives in the report", "I have a schema"),
    ),
    _row(
        ANSWER, "no",
        r"n+o+|nope+|nah+|naw|nay|nein|negative|never|no way|no thanks?|no can do|not even close|not|isnt|wasnt|arent"
        r"|doesnt|dont|didnt|wont|cant|cannot"
        r"|wouldnt|couldnt|aint|havent|hasnt|wrong|false|incorrect|untrue|inaccurate|i disagree|disagree|i refuse|i "
        r"decline"
        r"|rather not|impossible|under no circumstances|by no means|neither|none of (?:them|those|the above)|a lie",
        ("no", "nope", "no thanks", "not really", "that's wrong", "no that is incorrect", "absolutely not",
         "I don't think so"),
        ("no tests were run", "not now but after the deploy", "wrong port", "negative numbers",
         "I don't think Redis is right"),
    ),
    _row(
        ANSWER, "maybe",
        rf"may ?be|perhaps|possibly|probably|presumably|(?:might|could|can|may)(?: very)?(?: well)? be|(?:it )?(?:all "
        rf")?depends"
        rf"(?: on (?:it|that))?|50 50|fifty fifty|toss up|up in the air|who knows|(?:hard|difficult|tough) to (?:say"
        rf"|tell|decide)"
        rf"|not {_QUITE}(?:sure|certain|positive|clear|decided)(?: about (?:that|it|this))?|unsure|uncertain|unclear"
        rf"|undecided"
        rf"|on the fence|torn|(?:dont|do not|cant|cannot|can not|couldnt|havent) {_QUITE}(?:know|remember|recall|say"
        rf"|tell|decided?"
        rf"|answer|be sure|have an (?:answer|opinion)|made up my mind|make up my mind|care|mind)(?: (?:that|it|about "
        rf"(?:that|it)))?"
        rf"|no (?:idea|clue|opinion|preference)|no way to (?:know|tell)|a (?:possibility|chance)|debatable|i am "
        rf"neutral|beats me|idk|i ?dunno|let me (?:think|see)|(?:well|we will|lets|ill) see"
        rf"|i (?:guess|suppose)$|kind of|kinda|sort of|sorta|somewhat|more or less|either way|(?:could|can|may|might) "
        rf"go either way"
        rf"|yes and no|yes or no|up to you|your call|you (?:decide|choose|pick)|unable to (?:say|tell|decide)|possible",
        ("maybe", "I don't know", "not sure to be honest", "perhaps", "could be", "hard to say", "I can't decide",
         "it depends"),
        ("maybe Redis", "I don't know the port", "it depends on the schema", "possibly broken build"),
    ),
    _row(
        CONTINUE, "go_on",
        rf"continue|resume|go on|keep (?:going|it going|at it)|carry on|proceed|go ahead|go for it|move on|^next(?: "
        rf"{_IDEA})?$|^more$"
        rf"|some more|^again$|retry|redo(?: {_OBJECT})?|repeat(?: {_OBJECT})?|try (?:again|it|that)|once more|one "
        rf"more(?: time)?"
        rf"|another one|tell me more|say more|elaborate(?: on {_OBJECT})?|(?:explain|expand on|clarify|summari[sz]e"
        rf"|rephrase)"
        rf"(?: (?:more|further|{_OBJECT}|why|again))*|(?:do|run|fix|show|use|take|apply|save|delete|remove|add|undo"
        rf"|revert|finish|start|stop|close|open|keep|change|update|make|implement|write|read|list|check|try)"
        rf"(?: me)? {_OBJECT}|start over|^(?:start|begin|stop|cancel|abort|wait|skip|undo|revert"
        rf"|ready|shoot)"
        rf"|hold on|lets (?:go|begin|start)|make it so|^(?:shorter|longer|simpler)$|in (?:short|more detail|other "
        rf"words)",
        ("continue", "go ahead", "do it", "Please go on.", "keep going", "tell me more", "try again",
         "explain that again", "fix it"),
        ("continue the migration", "go ahead with Redis", "do it in Postgres", "next Friday", "deploy it",
         "tell me more about the API"),
    ),
    _row(
        CONTINUE, "which_one",
        rf"(?:first|second|third|fourth|fifth|last|former|latter|other|next|previous|same|1st|2nd|3rd|4th|5th|top"
        rf"|bottom|middle|left"
        rf"|right|new|old|bigger|smaller|better|cheaper|faster)(?: (?:two|three|few))? {_IDEA}|(?:the|use|take|pick) "
        rf"(?:first|second|third"
        rf"|fourth|last|former|latter|other|others|same(?: as before)?|rest)$|(?:options?|number|no|nr|item|choice"
        rf"|variant|plan|step) "
        rf"(?:[a-e]|\d{{1,2}}|one|two|three|four|five)|^(?:[a-e]|\d{{1,2}}|one|two|three|first|second|third|last|this"
        rf"|that|these|those"
        rf"|it|them|both|all|everything|either|any)(?: (?:one|of (?:them|those|it)))?$|^both|either one|any of them"
        rf"|whichever"
        rf"|(?:like|as) (?:before|above|usual)",
        ("the second one", "option B", "2", "both", "use the first one", "the latter", "the same as before",
         "that one"),
        ("the second migration", "option parsing", "2 replicas", "both clusters", "the first one to fail was Redis"),
    ),
    _row(
        CONTINUE, "ask_back",
        rf"{_AND}(?:why(?: (?:not|so|is (?:that|it)|was (?:that|it)|that|though))?|how(?: (?:so|come|exactly|then|is "
        rf"that|much|many"
        rf"|long|often|about (?:that|it|this|now)))?|when(?: (?:was|is) (?:that|it))?|where(?: (?:was|is) (?:that"
        rf"|it))?|who(?: (?:was|is)"
        rf" (?:that|it)| else)?|which(?: ones?)?|what(?: (?:else|next|now|then|for|do you mean|does (?:that|it) mean"
        rf"|is (?:that|it)|was"
        rf" that|exactly|about (?:that|it|this|now|them|the (?:others?|rest))))?|whats (?:that|next|it|this)|anything "
        rf"(?:else|more)"
        rf"|is (?:that|it) (?:all|it|so|true|right)|since when|says who|like what|such as|for (?:example|instance"
        rf"|what)|meaning"
        rf"|really|seriously|(?:are )?you sure|is it|was it|does it|did it|do you|can you|could you|then what|so what"
        rf"|come again)"
        rf"(?: (?:exactly|then|again|though|please))*$",
        ("why?", "and why?", "how so", "what else?", "which one?", "really?", "anything else?", "are you sure?"),
        ("why Redis?", "how much RAM does it need", "what about staging?", "when was the deploy", "who else knows SQL"),
    ),
)  # fmt: skip

# Phrases that are questions to the agent itself: a question mark after them asks nothing of memory.
ASKS = frozenset(
    {"social.how_are_you", "social.whats_up", "social.are_you_well", "social.and_you", "social.interjection"}
)

# Phrases that a name may follow: "Hi Bob". After other phrases, a capitalised word is a topic.
ADDRESSED = frozenset({"social.hello", "social.daypart", "social.bye", "social.thanks", "social.interjection"})

# Phrases that accept an offer directly before them ("Shall I run the tests?" - "great, thanks"), and else only react.
ACCEPTS = frozenset({"social.thanks", "social.praise", "social.appreciate", OK})

# Phrases that are removed from a message before other rules. Praise is kept: "Nice, Lyon and Paris" begins with a city.
PEELED = frozenset(
    f"social.{name}"
    for name in (
        "hello",
        "daypart",
        "how_are_you",
        "whats_up",
        "are_you_well",
        "pleased",
        "bye",
        "have_a_day",
        "thanks",
        "appreciate",
    )
)

# With these phrases, filler such as "your help" is a reason for thanks and not a request.
THANKS = frozenset({"social.thanks", "social.appreciate", "social.leaving"})
