"""Words without content: what may stand around small talk, and what never is a topic."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """The words of a running text as a set."""
    return frozenset(words.split())


# How people address whom they talk to, and when: they turn no greeting into a question.
VOCATIVES = listed("""
    again ai alexa all assistant bot bro buddy chatgpt claude computer copilot dear dude everybody everyone
    folks friend friends gemini gpt guys ladies gentlemen love man mate my now pal people robot sir maam siri
    team there today tonight tomorrow too world yall you u ya morning afternoon evening night day week weekend
    and so well oh please this here lately recently sunshine stranger honey boss chief
""")

# Left over in small talk, they point to the previous turn ("thanks, do that").
ANAPHORA = listed("""
    it its that thats this these those them they he she him her one ones either neither
""")

# A message that begins so is a question or a request, whatever greeting stands before it.
ASKING = listed("""
    do did does can could would will should is are was were has have had am may might shall
""")

# After a bare "hey" these begin the sentence proper; any other word may belong to it ("hello world program").
OPENERS = ASKING | listed("""
    what where when why how who whom whose which whats wheres whens whys hows whos i im ive id we were my our
    the please tell remind show explain let lets there it this that just so you help need any give find look
    list recall do dont if isnt arent doesnt didnt cant couldnt quick a an
""")

# With these the filler asks for something ("hey, help me"), unless it is what one is thanked for.
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
