"""Forms in which a user says that something ended, one row each; the examples of a row are its tests."""

from __future__ import annotations

from dataclasses import dataclass

# The time at which something ended, or paused.
WHEN = r"(?:today|yesterday|last|this (?:day|week|month|year|time|morning|evening|summer|winter))\b"


@dataclass(frozen=True, slots=True)
class EndingRow:
    """A form in which a user says that something ended, and the beginning of a memory that states it.

    `said` is matched on a statement folded from its subject on. Its group `gone`, `left` or `was` is what ended, and
    `who`, if there is one, the subject, which replaces "{who}" in `memory`. With `of_plans`, only plans are taken back.
    With `done`, it has ended for good, and a time such as "last week" says when; otherwise it may have paused then.
    With `instead`, the rest of the sentence must say in this form what holds now. With `alike`, it must also have
    another word of the memory. An example is what is said and a memory that it takes back, a counterexample what is
    said and a memory that stays.
    """

    said: str
    memory: str
    examples: tuple[tuple[str, str], ...]
    counterexamples: tuple[tuple[str, str], ...] = ()
    of_plans: bool = False
    done: bool = False
    instead: str = ""
    alike: bool = False


# Beginnings of what a user says, and of memories. First: "I usually ...", "I'm eating ...", "I finally ...".
_DOES = "{who} (?:(?:am|are|always|usually|often|mostly) )?"
_DOING = "(?:eat|drink|smok|vap|play|tak|do|practi[sc]|learn|study|us|watch|hav)(?:e|ing)?"
_DID = "(?:(?:i|we) (?:have )?)?(?:finally |recently |now )?"
_GONE = r"(?P<gone>[^,;:?]+?)"
_WHAT = rf"(?!an? ){_GONE}"  # "I sold a car" is about any
_NAMED = r"(?:an? )?[\w.#+-]+(?: [\w.#+-]+)?"
_ENDS = r"(?: (?:because|since|as|so|and)\b|[.!]*$|,)"
_OTHER = r"(?P<gone>(?!(?:i|we|he|she|it|they|my|our) )(?:[\w.'-]+ ){0,2}?[\w.'-]+)"
_STOP = r"(?:[.!]*$|,| (?:and|but|so)\b)"
# "I work at", "I live in", "my car is", "I drive", "we use".
_BELONG = (
    r"(?:i|we) (?:work|am|are|teach|study|volunteer|freelance|play|sing|train|go|row|bank)\b(?: [\w'-]+){0,4}?"
    " (?:at|for|in|of|with|to) "
)
_RESIDE = r"(?:i|we) (?:live|rent|reside|stay|am based|are based|have)(?: an? \w+)? (?:in|at|on|near) "
_KIN = (
    r"(?:mother|mom|mum|father|dad|parents?|sister|brother|wife|husband|son|daughter|grand\w+|aunt|uncle|cousin|niece"
    r"|nephew|step\w+|friend|girlfriend|boyfriend|dog|cat|pet)"
)
_IS_MINE = rf"(?:my|our) (?!(?:\w+ )?{_KIN}\b)[\w-]+(?: [\w-]+)? (?:is|are)(?: called| named)? "
_HAVE = rf"(?:{_IS_MINE}|(?:i|we) (?:have|own|drive|ride|rent|use) )"
_USE = (
    r"(?:(?:i|we) (?:(?:now|still|mostly|always) )?(?:use|have|rent|deploy (?:on|to|with)|host (?:\w+ )?(?:on"
    r"|with)|(?:write|do|make|build|edit|design) (?:\w+ ){0,3}(?:in|with|on)|pay for|bank with|subscribe to|(?:am"
    r"|are) (?:subscribed to|on|an? members? of|members of))|our (?!phone|laptop|car|computer|bike"
    r"|tv)[\w-]+(?: [\w-]+)? is|(?:our|the) (?!\w+s |client|customer|competitor"
    r"|neighbou?r)[\w-]+(?: [\w-]+)? (?:uses|runs(?: on| with)?)) "
)
# What holds instead, with a name: "i go to dr lund now", "Ben is my flatmate now", but not "I work late now".
_FRAME = (
    r"\b(?:(?<!\bhe )(?<!\bshe )(?<!\bit )(?<!\bthey )(?<!\bthat )"
    r"(?:is|are|does|handles|cleans|teaches) (?:now )?(?:my|our) [\w-]+|(?:runs?|deploys?) (?:on|with) \w"
    r"|(?:i|we) (?:now )?(?!\w+ (?:it|them|this|that|these|those|both)\b)(?:use (?!(?:his|her|the|my)\b)\w"
    r"|(?:(?:am|are) )?\w+(?: \w+)? (?:on|at|in|for|with|to) "
    r"(?!(?:the|my|our|a|an|his|her|it|them|home|night|nights|bed|work|church|school|weekends|time|mornings)\b)[\w.]))"
)
# "My wife is", "I'm married to".
_PAIRED = (
    r"(?:my (?:girlfriend|boyfriend|partner|wife|husband|fianc\w+) is(?: called| named)?|(?:i|we) (?:am|are) (?:dating"
    r"|married to|engaged to|living with|with|seeing)) "
)
# "Tom is my boss", but not "Tom is my uncle"
_THEIRS = rf"(?=(?:[\w.'-]+ ){{1,3}}(?:is|are|does|do|handles?|cleans?|teaches|runs?) (?:my|our) (?!(?:\w+ )?{_KIN}\b))"

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
    EndingRow(
        rf"{_DID}(?:quit|resigned from|stopped (?:working|teaching|playing|training) (?:at|for|with)"
        r"|(?:handed|gave) in (?:my|our) notice at|(?:was|were|got) (?:fired|laid off) (?:from|by))"
        rf" (?:my job (?:at|with) )?{_WHAT}{_STOP}",
        _BELONG,
        (
            ("I quit the mill, I'm at Acme now.", "I work at the mill."),
            ("handed in my notice at acme last week", "I'm a nurse at Acme."),
        ),
        (
            ("My aunt quit the mill.", "I work at the mill."),
            ("If I quit the mill, I'd be at Acme.", "I work at the mill."),
            ("I almost quit the mill.", "I work at the mill."),
            ("I quit the mill at five.", "I work at the mill."),
            ("I quit the mill, no I didn't.", "I work at the mill."),
            ("No more mill, please.", "I work at the mill."),
        ),
        done=True,
    ),
    EndingRow(
        rf"(?!.*\b(?:today|yesterday|this|early)\b){_DID}left {_WHAT}{_STOP}",
        rf"(?:{_BELONG}|{_RESIDE})",
        (("I left Acme last week and started at Nova.", "I work for Acme."),),
        (("I left the mill.", "I work at the mill."), ("I left the mill and walked.", "I work at the mill.")),
        done=True,
        instead=r"\b(?:started|joined|starting|work(?:ing)?|teach(?:ing)?|play(?:ing)?|liv(?:e|ing)|based)"
        " (?:at|for|in|with)",
    ),
    EndingRow(
        rf"{_DID}(?:moved (?:out of|away from)|gave up (?:the|my|our) (?:flat|house|room|apartment|place) (?:in|on))"
        rf" {_WHAT}{_STOP}",
        _RESIDE,
        (("moved out of ghent last month, living in Lyon now", "I live in Ghent with my aunt."),),
        (
            ("We moved out of Ghent when I was six.", "I live in Ghent."),
            ("I moved out of Ghent last year, then moved back.", "I live in Ghent."),
        ),
        done=True,
    ),
    EndingRow(
        rf"{_DID}(?:(?:swapped|traded|replaced) (?P<gone>(?!an? )[^,;:?]+?) (?:for|with|by) {_NAMED}|(?:sold|traded in"
        r"|got rid of|gave away|upgraded from) (?P<left>(?!an? )[^,;:?]+?))"
        rf"(?: now)?(?: {WHEN}.*)?{_STOP}",
        _HAVE,
        (
            ("sold the saab, got a Fiat instead", "Our car is a Saab."),
            ("I swapped my Saab for a Fiat.", "I drive a Saab."),
        ),
        (
            ("I sold a Saab.", "I drive a Saab."),
            ("Dad sold the Saab.", "I drive a Saab."),
            ("I dropped the Saab off.", "I drive a Saab."),
            ("I dropped my Nokia.", "My phone is a Nokia."),
            ("I replaced the tyres of the Saab with new ones.", "I drive a Saab."),
        ),
        done=True,
    ),
    EndingRow(
        rf"{_DID}(?:(?:(?:ditched|swapped|replaced) (?P<gone>(?!an? )[^,;:?]+?) (?:for|with|by)|(?:switched|migrated"
        rf"|moved|changed|upgraded)(?: over)? from (?P<left>[^,;:?]+?) to) {_NAMED}|(?:got rid of|scrapped|dropped"
        r"|ditched|dumped|binned|replaced|retired|abandoned|cancell?ed|closed(?= (?:my|our) .*account)|stopped using"
        r"|unsubscribed from|(?:am |are )?no longer (?:using|doing)|(?:switched|migrated|moved)(?: away)? (?:from|off))"
        rf" (?P<was>(?!an? )[^,;:?]+?))(?: now)?(?: {WHEN}.*)?(?! and back\b){_STOP}",
        _USE,
        (
            ("We moved from Trello to Linear.", "We use Trello for planning."),
            ("We've dropped Trello, planning runs on Linear now.", "We use Trello for planning."),
            ("closed my acme account, i'm with Nova now", "I bank with Acme."),
            ("cancelled hulu yesterday, too expensive", "I have a Hulu subscription."),
            ("we swapped svn for git", "The project uses SVN."),
        ),
        (
            ("We moved from Trello to Linear.", "My sister uses Trello."),
            ("We moved from Trello to Linear for bugs.", "We use Trello for planning."),
            ("We moved from Trello to Linear in our sales team.", "We use Trello for planning."),
            ("We moved from Trello to Linear and back again.", "We use Trello for planning."),
            ("We dropped Trello for bugs.", "We use Trello for planning."),
            ("I closed my Trello.", "We use Trello for planning."),
            ("We moved from Trello to the next topic.", "We use Trello for planning."),
            ("We almost dropped Trello.", "We use Trello for planning."),
            ("We might drop Trello.", "We use Trello for planning."),
            ("The client dropped Trello.", "We use Trello for planning."),
        ),
        done=True,
    ),
    EndingRow(
        rf"(?:{_DID}(?:broke up with|split up with|divorced|(?:am|are) no longer with) {_GONE}|"
        r"(?P<left>[\w-]+) (?:and (?:i|me) (?:have )?(?:broken? up|broke up|split up|divorced)|(?:dumped|left) me))"
        rf"{_STOP}",
        _PAIRED,
        (("Olga and I broke up, I'm with Rita now.", "My girlfriend is called Olga."),),
        (("Olga and I broke up years ago.", "My girlfriend is called Olga."),),
        done=True,
    ),
    EndingRow(
        rf"{_OTHER} (?:(?:has|have|is|was) )?(?:retired|died|passed away|shut down|went bust|fired me"
        rf"|let (?:me|us) go){_STOP}",
        rf"(?:{_BELONG}|{_USE}|{_IS_MINE}|{_THEIRS})",
        (
            ("dr ito retired, i go to dr lund now", "My dentist is Dr. Ito."),
            ("Hill School let me go, I teach at Oak Academy these days.", "I teach maths at Hill School."),
        ),
        (
            ("Otto retired.", "Otto is my boss."),
            ("Otto retired, he has time now.", "Otto is my boss."),
            ("Otto died, I go to church now.", "My uncle is Otto."),
            ("Rosa retired, we live in Faro now.", "Rosa is my wife."),
            ("Jenkins died, I restarted it now.", "We use Jenkins for CI."),
        ),
        done=True,
        instead=_FRAME,
    ),
    EndingRow(
        rf"(?:{_OTHER} (?:(?:has|have|is|was) )?(?:quit|left|gone|dead|history|stopped|closed"
        r"|moved (?:out|away|on|to [\w ]+?)|(?:got|became|was) \w+)"
        rf"|(?:(?:i|we) (?:am|are) )?(?:not|no longer) (?:at|with|in) (?P<left>[^,;:?]+?)(?: any ?more)?){_STOP}",
        rf"(?:{_BELONG}|{_RESIDE}|{_USE}|{_IS_MINE}|{_THEIRS})",
        (
            ("Otto moved out, Ben is my flatmate now.", "Otto is my flatmate."),
            ("Render got too slow so we deploy on Fly now.", "We deploy on Render."),
            ("not in ghent anymore, im based in Lyon now", "I'm based in Ghent."),
        ),
        (
            ("Otto left, I'm alone now.", "Otto is my flatmate."),
            ("Otto got promoted, he is my boss now.", "Otto is my boss."),
            ("Render got better, so we use it for all sites now.", "We use Render."),
            ("Render got fixed, we deploy on Render now.", "We deploy on Render."),
            ("Otto moved out.", "Otto is my flatmate."),
            ("The mill got busy, so I work late now.", "I work at the mill."),
            ("The mill moved to Bonn, I work in Bonn now.", "I work at the mill."),
            ("The mill got busy, so I work at night now.", "I work at the mill."),
            ("Jenkins is dead, CI is red now.", "We use Jenkins for CI."),
            ("Otto moved to Bonn, our accountant is far away now.", "Our accountant is Otto."),
        ),
        done=True,
        instead=_FRAME,
        alike=True,
    ),
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
        rf"{_OFF}|{_DID}(?:cancell?ed|called off|dropped|scrapped|(?:pulled|backed) out of)"
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
