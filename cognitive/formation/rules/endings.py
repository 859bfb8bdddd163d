"""Forms in which a user says that something ended, one row each; the examples of a row are its tests."""

from __future__ import annotations

from cognitive.formation.rules.endings_for_good import DID, ENDED_FOR_GOOD
from cognitive.formation.rules.matching import EndingRow

# Beginnings of memories: "I usually ...", "I'm eating ...".
_DOES = "{who} (?:(?:am|are|always|usually|often|mostly) )?"
_DOING = "(?:eat|drink|smok|vap|play|tak|do|practi[sc]|learn|study|us|watch|hav)(?:e|ing)?"
_ENDS = r"(?: (?:because|since|as|so|and)\b|[.!]*$|,)"
_ONCE = r"(?!.*\b(?:every|each|\w+days)\b)"  # of a yoga class every Monday, only the next one is off
_OFF = r" (?:now )?(?:off|cancell?ed|called off|not happening)(?: now| again)?(?:,|[.!]*$)"

ENDINGS: tuple[EndingRow, ...] = (
    EndingRow(  # "I stopped running", "I stopped the server": it may go on tomorrow
        r"(?P<who>i|we) (?:(?:am |are )?no longer|(?:have )?(?:quit|given up|gave up)(?= \w+ing\b)"
        r"|(?:have )?stopped(?= \w+ing \w)) (?P<gone>[^,;:?]+)",
        _DOES,
        (
            ("I no longer keep bees.", "I keep bees on the roof."),
            ("We're no longer a member of the choir.", "We're members of the choir."),
            ("I gave up eating eggs.", "I usually eat eggs for breakfast."),
            ("I no longer eat chocolate.", "I eat two bars of chocolate a day."),
        ),
        (
            ("I no longer eat eggs.", "My sister eats eggs every morning."),
            ("I no longer travel with Olga.", "My cousin Olga travels a lot."),
            ("I no longer work with Olga.", "I work at the shop of Olga."),
            ("I no longer sing with Olga.", "I sing with Olga's aunt."),
            ("I no longer keep bees, only in summer.", "I keep bees."),
            ("I no longer play chess when I'm out.", "I play chess."),
            ("I no longer just play chess.", "I play chess."),
            ("I no longer sing.", "We sing on Tuesdays."),
            ("I no longer run.", "I run a bakery."),
            ("I no longer work.", "I work out every morning."),
            ("I'm no longer a vegan.", "I'm married to a vegan."),
            ("I no longer grow beans.", "I grow beans and leeks."),
            ("I no longer live there.", "I live in Porto."),
            ("I stopped running.", "I run on Sundays."),
        ),
    ),
    EndingRow(
        r"(?P<who>i|we) (?:do not|(?:am|are) not(?! \w+ing (?:any|after))) (?P<gone>[^,;:?]+?) "
        r"(?:any ?(?:more|longer)(?: now| either| though)?|after all)[.!]*$",
        _DOES,
        (
            ("I don't keep bees anymore.", "I keep bees on the roof."),
            ("We're not flying to Malta after all.", "We're flying to Malta in May."),
            ("We don't train on Mondays any more.", "Our training is on Mondays."),
        ),
        (
            ("We're not flying after all.", "We fly to Malta every May."),
            ("I don't want it any more.", "I want a quiet room."),
            ("I'm not tired anymore.", "I'm always tired after lunch."),
            ("I don't bake bread any more than twice a month.", "I bake bread."),
            ("I don't eat cheese anymore after nine.", "I eat cheese every evening."),
            ("We don't use Slack any longer for the night shift.", "We use Slack."),
            ("We don't use Slack any more, except at night.", "We use Slack."),
        ),
    ),
    EndingRow(
        r"(?:(?P<who>i|we) (?:have )?)?(?:quit|(?:given|gave) up)(?: on)? (?P<gone>[^,;:?]+)",
        rf"{_DOES}{_DOING} ",
        (
            ("I've given up eggs.", "I eat eggs every morning."),
            ("gave up on polish, learning czech now", "I'm learning Polish."),
            ("I quit tennis.", "I play tennis on Sundays."),
        ),
        (
            ("I've given up eggs.", "I'm allergic to eggs."),
            ("I've given up eggs.", "I sell eggs at the market."),
            ("I gave up the app.", "I'm learning Polish with the app."),
            ("I gave up sugar once, never again.", "I eat sugar."),
            ("I gave up coffee, years ago, for a month.", "I drink coffee."),
        ),
    ),
    *ENDED_FOR_GOOD,
    EndingRow(
        r"(?P<who>i|we) (?:have )?changed (?:my|our) minds? about (?P<gone>[^,;:?.]+)",
        "{who} (?:have )?(?:decided|agreed|settled) (?:on|for|to \\w+(?: with)?) ",
        (("We changed our minds about the sofa.", "We decided to buy the sofa."),),
        (("We changed our minds about slate.", "We decided to tile the floor with slate."),),
    ),
    EndingRow(
        r"(?:please )?(?:forget (?:about )?|(?:forget|delete|ignore) what i (?:have )?(?:said|wrote) about )my "
        r"(?P<gone>[^,;:?]+)",
        "(?:my|i have an?) ",
        (
            ("Please delete what I said about my coach.", "My coach is Dr. Lind."),
            ("Please forget my old address.", "My address is 4 Hill Road."),
            ("Forget my address please.", "My address is 4 Hill Road."),
            ("Forget about my eye test.", "I have an eye test on Friday."),
        ),
        (("Forget my email.", "My email client is Mutt."), ("Forget my dog.", "My sister has a dog.")),
    ),
    EndingRow(
        r"(?:please )?(?:forget|ignore|disregard) that (?P<who>i|we) (?P<gone>[^,;:?]+)",
        "{who} ",
        (("Forget that I prefer dark coffee.", "I prefer dark coffee."),),
        (("Forget that I prefer dark coffee.", "I prefer coffee to tea."),),
    ),
    EndingRow(  # what must always be respected: "I'm not tired" takes back nothing
        r"(?P<who>i|we) (?:am|are) not (?P<gone>(?:an? )?"
        r"(?:allergic|intolerant|vegan|vegetarian|coeliac|celiac|diabetic)\b[^,;:?]*)",
        "{who} (?:am|are) ",
        (
            ("Turns out I'm not allergic to nuts.", "I'm allergic to nuts."),
            ("I'm not a vegetarian.", "I'm a vegetarian."),
        ),
        (
            ("I'm not allergic to nuts.", "I'm allergic to eggs."),
            ("I'm not just allergic to nuts, my throat swells.", "I'm allergic to nuts."),
            ("I'm not allergic to nuts, I think.", "I'm allergic to nuts."),
        ),
    ),
    EndingRow(
        r"(?:no more|(?:please )?stop (?:using|with)|enough (?:of|with))(?: the| those| these)? (?P<gone>[^,;:?]+)",
        "(?:please )?(?:always )?(?:(?:answer|reply|respond|write) (?:in|with)|use|add|include) ",
        (
            ("No more bullet points please.", "Always answer in bullet points."),
            ("Please stop using tables.", "Use tables for figures."),
        ),
        (("No more bullet points.", "Always put a point behind bullet lists."),),
    ),
    EndingRow(
        r"(?:(?:the|my|our) )?(?:(?:trip|visit) to )?(?P<gone>[\w-]+)(?: trip| visit)? (?:is|was|has been)"
        rf"{_OFF}|(?:i|we) (?:am|are) not (?:going|flying|travell?ing|driving) to (?P<left>[\w-]+)"
        " (?:after all|any ?more)",
        _ONCE + "(?:i|we) (?:am|are) (?:(?:going|flying|travell?ing|driving) to"
        "|(?:planning|going on|taking) an? (?:\\w+ )?(?:trip|holiday|visit) to) ",
        (
            ("Our Malta trip is off.", "We're flying to Malta in May."),
            ("The trip to Malta is off.", "I'm planning a trip to Malta."),
            ("The trip to Malta was cancelled, too much work", "I'm going to Malta in May."),
            ("ugh, malta is cancelled", "We're flying to Malta in May."),
            ("We're not going to Malta after all, we picked Crete.", "We're flying to Malta in May."),
        ),
        (
            ("The Malta meeting is off.", "We're flying to Malta in May."),
            ("The Malta trip is off.", "We're going to Malta every May."),
            ("The Malta trip is off, unless it gets warm.", "We're flying to Malta in May."),
        ),
        of_plans=True,
    ),
    EndingRow(  # "The meeting is off" may be about any meeting
        r"(?:(?:(?:the|my|our) )?(?P<gone>(?!(?:the|my|our) )[\w-]+ [^,;:?]+?) (?:is|was|has been|got)"
        rf"{_OFF}|{DID}(?:cancell?ed|called off|dropped|scrapped|(?:pulled|backed) out of)"
        rf" (?P<left>[\w-]+ [^,;:?]+?){_ENDS})",
        _ONCE + "(?:my|our|(?:i|we) (?:have an?|(?:plan|hope|want) to \\w+|(?:am|are) (?:having|meeting|attending|doing"
        "|going (?:to|for|on)))) ",
        (
            ("The meeting with Olga is cancelled.", "I have a meeting with Olga on Monday."),
            ("My eye test on Friday was called off.", "I have an eye test on Friday."),
            ("lunch with olga is cancelled", "I'm having lunch with Olga on Friday."),
            ("I dropped the Oslo race because of my hip.", "I plan to run the Oslo race in May."),
        ),
        (
            ("The meeting is off.", "I have a meeting with Olga on Monday."),
            ("Dinner with Olga is cancelled.", "I'm having lunch with Olga on Friday."),
            ("Is lunch with Olga cancelled?", "I'm having lunch with Olga on Friday."),
            ("My sister's eye test was cancelled.", "I have an eye test on Friday."),
            ("My eye test on Monday was cancelled.", "I have an eye test on Friday."),
            ("My yoga class was cancelled.", "I have a yoga class every Monday."),
            ("The eye test is off to a good start.", "I have an eye test on Friday."),
            ("My eye test is off, no it's on.", "I have an eye test on Friday."),
            ("My eye test is off. Wait, it's still on!", "I have an eye test on Friday."),
        ),
        of_plans=True,
    ),
)
