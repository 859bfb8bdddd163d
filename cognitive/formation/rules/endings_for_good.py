"""Forms in which a user says that something ended for good: a job, a home, the use of a thing, a relationship."""

from __future__ import annotations

from cognitive.formation.rules.matching import EndingRow

# The time at which something ended, or paused.
WHEN = r"(?:today|yesterday|last|this (?:day|week|month|year|time|morning|evening|summer|winter))\b"

# Parts of what a user says. First: "I finally ...".
DID = "(?:(?:i|we) (?:have )?)?(?:finally |recently |now )?"
_GONE = r"(?P<gone>[^,;:?]+?)"
_WHAT = rf"(?!an? ){_GONE}"  # "I sold a car" is about any
_NAMED = r"(?:an? )?[\w.#+-]+(?: [\w.#+-]+)?"
_OTHER = r"(?P<gone>(?!(?:i|we|he|she|it|they|my|our) )(?:[\w.'-]+ ){0,2}?[\w.'-]+)"
_STOP = r"(?:[.!]*$|,| (?:and|but|so)\b)"
# Beginnings of memories: "I work at", "I live in", "my car is", "I drive", "we use".
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

ENDED_FOR_GOOD: tuple[EndingRow, ...] = (
    EndingRow(
        rf"{DID}(?:quit|resigned from|stopped (?:working|teaching|playing|training) (?:at|for|with)"
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
        rf"(?!.*\b(?:today|yesterday|this|early)\b){DID}left {_WHAT}{_STOP}",
        rf"(?:{_BELONG}|{_RESIDE})",
        (("I left Acme last week and started at Nova.", "I work for Acme."),),
        (("I left the mill.", "I work at the mill."), ("I left the mill and walked.", "I work at the mill.")),
        done=True,
        instead=r"\b(?:started|joined|starting|work(?:ing)?|teach(?:ing)?|play(?:ing)?|liv(?:e|ing)|based)"
        " (?:at|for|in|with)",
    ),
    EndingRow(
        rf"{DID}(?:moved (?:out of|away from)|gave up (?:the|my|our) (?:flat|house|room|apartment|place) (?:in|on))"
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
        rf"{DID}(?:(?:swapped|traded|replaced) (?P<gone>(?!an? )[^,;:?]+?) (?:for|with|by) {_NAMED}|(?:sold|traded in"
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
        rf"{DID}(?:(?:(?:ditched|swapped|replaced) (?P<gone>(?!an? )[^,;:?]+?) (?:for|with|by)|(?:switched|migrated"
        rf"|moved|changed|upgraded)(?: over)? from (?P<left>[^,;:?]+?) to) {_NAMED}|(?:got rid of|scrapped|dropped"
        r"|ditched|dumped|binned|replaced|retired|abandoned|cancell?ed|closed(?= (?:my|our) .*account)|stopped using"
        r"|unsubscribed from|(?:am |are )?no longer (?:us(?:e|ing)|doing)"
        r"|(?:switched|migrated|moved)(?: away)? (?:from|off))"
        rf" (?P<was>(?!an? )[^,;:?]+?))(?: now)?(?: {WHEN}.*)?(?! and back\b){_STOP}",
        _USE,
        (
            ("We moved from Trello to Linear.", "We use Trello for planning."),
            ("We've dropped Trello, planning runs on Linear now.", "We use Trello for planning."),
            ("closed my acme account, i'm with Nova now", "I bank with Acme."),
            ("cancelled hulu yesterday, too expensive", "I have a Hulu subscription."),
            ("we swapped svn for git", "The project uses SVN."),
            ("We no longer use Trello.", "Our ticket tool is Trello."),
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
    EndingRow(  # where one lives or works, but not a house that one may still have there
        r"(?:(?P<who>i|we) (?:have )?)?(?:finally |recently )?(?:moved|changed|switched|transferred)"
        rf" from {_GONE} to {_NAMED}(?: now)?(?: {WHEN}.*)?(?! and back\b){_STOP}",
        r"(?={who} )(?:\w+ (?:live|reside|am based|are based) (?:in|at|on|near) |"
        rf"(?!.* (?:in|of) ){_BELONG})",
        (
            ("I've moved from Ghent to Lyon.", "I live in Ghent."),
            ("I switched from Acme to Nova last month.", "I work for Acme."),
        ),
        (
            ("We moved from Ghent to Lyon.", "We have a house in Ghent."),
            ("I moved from Ghent to Lyon.", "I work in Ghent."),
            ("My aunt moved from Ghent to Lyon.", "I live in Ghent."),
            ("We moved from Ghent to Lyon.", "I live in Ghent."),
            ("I moved from Ghent to Lyon and back again.", "I live in Ghent."),
        ),
        done=True,
    ),
    EndingRow(
        rf"(?:{DID}(?:broke up with|split up with|divorced|(?:am|are) no longer with) {_GONE}|"
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
)
