"""Lists of English words: filler around small talk, words that are never a topic, words that are never a name."""

from __future__ import annotations

from brain.languages import ENGLISH, MONTHS
from brain.text import STOP_WORDS, stem


def listed(words: str) -> frozenset[str]:
    """Return the set of the words that a text lists, separated by white space."""
    return frozenset(words.split())


# Words that address the other person or name the time of day: they don't turn a greeting into a question.
VOCATIVES = listed("""
    again ai alexa all assistant bot bro buddy chatgpt claude computer copilot dear dude everybody everyone
    folks friend friends gemini gpt guys ladies gentlemen love man mate my now pal people robot sir maam siri
    team there today tonight tomorrow too world yall you u ya morning afternoon evening night day week weekend
    and so well oh please this here lately recently sunshine stranger honey boss chief
""")

# Words that refer to the previous turn when they remain in small talk ("thanks, do that").
ANAPHORA = listed("""
    it its that thats this these those them they he she him her one ones either neither
""")

# Words that begin a question or a request, also after a greeting.
ASKING = listed("""
    do did does can could would will should is are was were has have had am may might shall
""")

# Words that begin the actual sentence after a bare "hey"; other words may belong to it ("hello world program").
OPENERS = ASKING | listed("""
    what where when why how who whom whose which whats wheres whens whys hows whos i im ive id we were my our
    the please tell remind show explain let lets there it this that just so you help need any give find look
    list recall do dont if isnt arent doesnt didnt cant couldnt quick a an
""")

# Words with which filler asks for something ("hey, help me"), unless the message is thanks ("thanks for your help").
REQUESTS = frozenset({"tell", "help", "need", "give"})

FILLERS = (
    VOCATIVES
    | ANAPHORA
    | ASKING
    | listed("""
    a about absolutely actually already also always am an another any anyway as at awfully back bad be been
    being believe better big bit but by bye case clearly completely currently deal definitely doing done down
    dont either enough entirely especially even ever every exactly extra extremely fact feel feeling felt few
    finally for forever from fully fun get getting give glad go going gonna good got great greatly guess had
    happy hard have having hello help helped helpful helping hear heard hey hi honest honestly hope i id if ill
    im in incredibly indeed information info into is ive just keep kind kinda know later least let lets like
    little long look lot lots lovely make makes me mean meant might mine moment more most much must myself need
    needed never next nice no not of off ok okay on only or other our out over own pleasure possible pretty
    probably question quick quite real really right say saying see seem seems sincerely some something soon
    sorry sound sounds still stuff such super sure talk talking tell than thank thanks that the their then thing
    things think time to total totally tried true truly many million try use trying up us very wait want wanted
    was way we welcome were will wish with without wonderful would wow yes yet your youre youve yours answer
    answers advice assistance effort efforts support service chat chatting conversation talked come around next
    time until take care safe rest amazing awesome fantastic excellent perfect cool beautiful brilliant ahead
    everything anything nothing simply kindly course doubt afraid ok k alright fine meet rather
""")
)

# Words too general for a topic: speech acts, time words, verbs of remembering and deciding.
NO_TOPIC = (
    STOP_WORDS
    | (VOCATIVES - {"computer", "robot", "bot", "ai", "gpt", "gemini", "siri", "alexa", "sunshine", "stranger", "team"})
    | listed("""
    ago already also always another anything anyone anybody around ask asked asking back besides bit bring call
    came come coming currently decide decided decides deciding decision decisions describe different discuss
    discussed else end ended ever every everything exactly explain find finally first found gave get gets
    getting give given gives go goes going gone got happen happened happening happens hear heard hello help hey
    hi idea instead keep kept kind know knew known last later latest least leave left let lets like likely list
    little long look looked looking lot lots made make makes making many may maybe mean means meant mention
    mentioned might month months much must near need needed needs never new next nope nothing now number okay
    one ones others part past people please point possible previous previously put question quite rather real
    recall recently regarding remember remind right run said same saw say saying says second see seen several
    shall show since someone something sometimes somewhere soon sort start started still stuff suggest suppose
    sure take taken takes taking talk talked talking tell telling thank thanks thing things think thinking third
    thought three time times today together told tomorrow took tried try trying turn two upon us use used uses
    using usually various want wanted wants way ways week weekend weeks well went whatever whether whose within
    without wonder word words work would yeah year years yes yesterday yet dont didnt doesnt isnt wasnt cant
    wont im ive id ill youre thats whats wheres hows whos lets
""")
)

# Words of a request for a list that are not the topic of the list.
NO_LIST_TOPIC = listed("""
    forget recent activity list lists show give enumerate display note items calendar appointment print recite read
    summary summarize
    summarise summaries recap overview rundown digest review debrief memory memories remembered record records
    recorded notes noted stored store saved save file profile decisions decided agreed settled resolved
    agreement agreements runbook runbooks playbook playbooks procedure procedures howto howtos how-to how-tos
    checklist checklists workflow workflows recipe recipes guides routines instructions fact facts change
    changed changes happened update updates news new miss missed catch speed fill worked working done made
    make discussed conversation conversations discussion discussions talked chat chats chatted spoke spoken
    learned learnt gathered collected information info details things stuff far lately recently event events
    episode episodes myself complete full entire whole entries item knowledge base known team group documented
    document written wrote maintain agree planned scheduled coming due important interesting noteworthy worth
    knowing different progress kinds sorts types existing current currently open set given gave own hold held
    use used run spend spent agenda like eye aware mind bear watch wrong right well badly broke broken failed
    fixed shipped finished completed started added built delivered achieved accomplished meetings activities
    highlights points state play status situation latest staff doing going developing progressing brief
    standing still pending outstanding user everyone everybody anyone quick quickly short topic topics cover
    covered order concluded told taught share shared meantime exactly basically overall date period between
""")

# Words of `NO_LIST_TOPIC` that are a topic where a message names one: "about my team", "list our staff".
GENERAL_TOPICS = listed("""
    team staff group order play meetings update updates items item share points eye watch
""")

# English words that are no names when capitalised at a sentence's start. Base forms; inflected forms share their stem.
_EVERYDAY = listed("""
    able about above accept access according account across act action active actual add additional address
    adjust admit advance advice affect afford after afternoon again against age agree ahead aim all allow almost
    alone along already also alternative although always amaze among amount analyze ancient and animal announce
    another answer any anybody anyone anything anyway apart apparent appear apply appoint appreciate approach
    appropriate approve area argue arm around arrange arrive art article as ask assign assist assume at attach
    attack attempt attend attention audience author authorize automatic available average avoid away baby back
    background bad bag balance ball base basic battle be beat beautiful because become bed before begin behind
    being believe below beside besides best better between beyond big bill bind bird bit black blame block blue
    board boat body book both bottom box boy brain brave break breakfast breathe bring broad brother brown bug
    build burn bus business busy but buy by cache calculate call calm can cancel car card care careful carry
    case cat catch cause central certain chain chance change channel charge chart cheap check child children
    choice choose circle city claim class clean clear click client close code cold collect color combine come
    comment commit common communicate company compare complete complex compute computer concern conclude
    condition configure confirm connect consequent consider consistent contact contain content continue control
    convert cook cool copy correct cost could count country couple course cover crash create credit cross cry
    current customer cut cycle daily dance danger dark data database date daughter day dead deal dear debug
    decide deep default define degree delay delete deliver demand deny depend deploy describe design despite
    detail determine develop device die difference different difficult dinner direct disable discover discuss
    display distance divide do doctor document dog door double doubt down download draft draw dream dress drink
    drive drop dry due during duty each early earn earth east easy eat edge edit effect effort eight either
    electric eleven else email embed empty enable end enforce engine english enjoy enough ensure enter entire
    entry equal error especially essential establish estimate evaluate even evening event ever every everybody
    everyone everything evidence exact examine example excellent except excite exclude execute exercise exist
    expand expect expensive experience experiment explain explore export express extend extract eye face fact
    fail fair fall false family fantastic far farm fast father fault favor fear feature feed feedback feel fetch
    few field fight figure file fill filter final find fine finger finish fire first fish fit five fix flag flat
    floor flow fly focus folder follow following food foot for force foreign forget form formal format former
    forward four frame free fresh friday friend from front full fun function further future game garden gather
    general generate gentle get girl give glad glass go goal gold good grab grant graph great green greet ground
    group grow guess guest guide guy hair half hand handle hang happen happy hard hat hate have he head health
    hear heart heat heavy help hence her here hers high highlight hill him his history hit hold hole home honest
    hope horse host hot hotel hour house how however huge human hundred hungry hurry hurt i idea identify if
    ignore image imagine immediate impact implement imply import important improve in include incorrect increase
    indeed independent index indicate individual inform initial inject input insert inside install instead
    integrate interest internal into introduce invalid invest invite involve issue it item its job join judge
    jump just keep key kick kid kill kind king kitchen knock know label lack lady land language large last late
    later laugh launch law lay layer lead learn least leave left leg lend length less lesson let letter level
    library lie life light like likely limit line link list listen literal little live load local location lock
    log long look lose loss lot loud love low lucky lunch machine mail main maintain major make man manage
    manual many map mark match matter maximum may maybe me meal mean meanwhile measure meet meeting member
    memory mention merge message method middle migrate might mind mine minimum minor minute miss missing mistake
    mix mobile mode model modern modify moment monday money monitor month more moreover morning most mother
    mount mountain mouth move movie much multiple music must my name narrow natural near necessary need neither
    nervous network never new news next nice night nine no nobody nobody none nor normal north nose not note
    nothing notice now nowhere number object objective obvious occur odd of off offer office often oh okay old
    on once one online only onto open operate opinion option or orange order ordinary original other otherwise
    our out output outside over overall overview own pack package page pain paint pair paper parent park parse
    part partial particular party pass past path pattern pause pay people per percent perfect perform perhaps
    period permanent permit person personal phase phone photo pick picture piece pink place plain plan plane
    plant plate play please plenty plus point policy poor popular port position possible post potential power
    practice prefer prepare present president press pretty prevent previous price primary print prior private
    probable problem proceed process produce product profile program progress project promise proof proper
    propose protect prove provide public publish pull purchase purple purpose push put quality query question
    quick quiet quit quite rain raise random range rare rate rather raw reach read ready real realize reason
    rebuild receive recent recipe recommend record red reduce refactor refer reference reflect refuse regard
    region regular reject relate release relevant rely remain remember remind remote remove rename repair repeat
    replace reply report represent request require reset resolve respect respond response rest restart restore
    result retrieve retry return reveal review revise rewrite rich ride right ring rise river road role roll
    room root round row rule run rush sad safe sale salt same save say scale scan schedule school science score
    screen script sea search season seat second secret section secure see seek seem seldom select self sell send
    sense sentence separate serious serve server service session set setting settle seven several shake shall
    shape share she shift shine ship shirt shock shoe shoot shop short should shout show shut sick side sign
    silly similar simple simulate since sing single sister sit site six size skill skip sky sleep slight slip
    slow small smart smell smile smooth snow so social soft software solid solution solve some somebody somehow
    someone something sometimes somewhere son song soon sorry sort sound source south space speak special
    specific specify speed spell spend split spot spread spring square stable stack staff stage stand standard
    star start state station status stay steal step stick still stock stop store storm story straight strange
    stream street stress strict string strong structure student study style subject submit success such sudden
    suggest suit summarize summary summer sun supply support suppose sure surface surprise suspect swap sweet
    swim switch symbol system table tag take tall target task taste teach team tear technical technology tell
    temporary ten tend term test text than thank that the their them then there therefore these they thick thin
    thing think third thirty this those though thought thousand three throat through throughout throw thursday
    thus tie tight time tiny tip tired title to today together token tomorrow tonight too tool top topic total
    touch tough tour toward town track trade traffic train transfer transform translate travel treat tree
    trigger trip trouble truck true trust truth try tuesday turn twelve twenty twice two type typical ugly under
    understand undo unfortunate unique unit unless unlike until up update upgrade upload upon upper upset urgent
    us use user usual valid validate value various verify version very via video view village visit visual voice
    vote wait wake walk wall want war warm warn wash waste watch water wave way we weak wear weather web website
    wednesday week weekend weigh weight welcome well west wet what whatever wheel when whenever where whereas
    wherever whether which whichever while white who whoever whole whom whose why wide wife wild will win wind
    window winter wise wish with within without woman wonder wood word work world worry worse worst worth would
    wow wrap write wrong yeah yellow yep yes yesterday yet you young your yours yourself zero monday saturday
    sunday hey hi hello thanks
    bye ok nope yup btw fyi imo asap hmm oops ugh ah aha aww yay lol haha dr mr mrs ms prof sir anyways gonna
    wanna gotta kinda additionally furthermore firstly secondly thirdly finally lastly overall basically
    actually absolutely definitely certainly
""")
EVERYDAY_STEMS = frozenset(stem(word.lower()) for word in (*_EVERYDAY, *STOP_WORDS, *MONTHS[ENGLISH]))
