"""Lists of English words by which `similarity` decides if two statements say the same.

The lists are opposites, synonyms, units, numbers, and words such as "not" that change the meaning of what follows. A
text in another language is compared by its digits, names and word order alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from brain.caches import cached
from brain.languages import ENGLISH
from brain.languages import MONTHS as MONTH_NAMES
from brain.text import as_lexeme, stem

# Opposites. A line is an axis, and | separates its sides. Statements on different sides say different things.
AXES = """
    enable enabled enabling activate activated active on | disable disabled disabling deactivate inactive off
    increase increased rise rose raise raised grow grew | decrease decreased fall fell lower lowered reduce reduced drop
    add added append insert | remove removed delete deleted drop
    accept accepted agree agreed approve approved | decline declined reject rejected refuse refused deny denied
    agree agreed | disagree disagreed
    allow allowed permit permitted | forbid forbidden prohibit prohibited block blocked ban banned prevent
    include included including | exclude excluded excluding
    succeed succeeded success pass passed | fail failed failure
    open opens opened opening | close closes closed closing shut
    start started begin began launch | stop stopped end ended finish finished
    join joined enter entered | leave left quit
    buy bought purchase purchased | sell sold
    borrow borrowed | lend lent
    win won | lose lost
    gain gained | lose lost
    push pushed | pull pulled
    send sent | receive received
    import imported imports | export exported exports
    upload uploaded uploads | download downloaded downloads
    encrypt encrypted | decrypt decrypted
    lock locked | unlock unlocked
    connect connected | disconnect disconnected
    upgrade upgraded | downgrade downgraded
    attach attached | detach detached
    create created | destroy destroyed delete deleted
    love loved enjoy | hate hated dislike disliked
    remember remembered | forget forgot forgotten
    arrive arrived | depart departed leave left
    read reads | write writes
    public | private
    internal | external
    inbound incoming | outbound outgoing
    local | remote
    manual manually | automatic automatically
    primary | secondary replica
    master | slave replica
    staging | production prod | development dev
    client | server
    frontend | backend
    sync synchronous synchronously | async asynchronous asynchronously
    ascending | descending
    horizontal horizontally | vertical vertically
    upper top | lower bottom
    up | down
    first | last
    last previous past | next upcoming following
    early earlier | late later
    before | after
    above over | below under beneath
    inside within | outside
    with | without
    more | less fewer
    most | least
    many much | few
    maximum max | minimum min
    big bigger large larger huge | small smaller tiny
    high higher | low lower
    long longer | short shorter
    fast faster quick quicker | slow slower
    cheap cheaper | expensive dearer
    old older | new newer | young younger
    hot warm | cold cool
    light | dark
    black | white
    left | right
    north northern | south southern | east eastern | west western
    full | empty
    true | false
    odd | even
    same | different
    safe | dangerous unsafe
    free | paid
    alive | dead
    healthy | sick ill
    single unmarried | married | divorced
    husband | wife
    brother | sister
    mother mum mom | father dad
    son | daughter
    aunt | uncle
    nephew | niece
    grandmother grandma | grandfather grandpa
    boy boys | girl girls
    man men | woman women
    he him his himself | she her hers herself
    landlord | tenant
    buyer | seller
    employer | employee
    teacher | student
    parent parents | child children
    all every each always everyone everybody | some sometimes several somebody | none nobody never
    always | often usually | rarely seldom hardly
    required mandatory must | should recommended | optional
    permanent permanently | temporary temporarily
    morning | noon midday | afternoon | evening | midnight
    today tonight | tomorrow | yesterday
"""

# Synonyms. The first word of a line represents all words of the line.
SYNONYMS = """
    choose chose chosen pick picked select selected opt opted
    buy bought purchase purchased
    use used utilise utilised utilize utilized
    start started begin began begun commence
    finish finished complete completed
    big large huge
    small little tiny
    job occupation
    kid kids child children
    mum mom mother
    dad father
    photo photograph picture
    film movie
    car automobile
    flat apartment
    doctor physician
    repair repaired fix fixed
    build built
    make made
    take took taken
    get got gotten
    write wrote written
    speak spoke spoken
    teach taught
    keep kept retain retained
    leave left
    lose lost
    tell told
    sell sold
    send sent
    pay paid
    run ran
    drive drove driven
    grow grew grown
    find found
    think thought
    feel felt
    meet met
    win won
    say said
    see saw seen
    go went gone
    come came
    give gave given
    steal stole stolen
    break broke broken
    hold held
    inform notify
    rotate rotated rotation
    delete deleted erase erased
    decide decided decision
    prefer preferred preference
    need needs require requires
    move moved relocate relocated
    close closes closed closing shut shuts
    end ends ended expire expired
    answer answers answered reply replies replied response
    client customer
    holiday vacation
    quick fast rapid
    expensive costly
    cheap inexpensive
    allow allowed permit permitted
    forbid forbidden prohibit prohibited ban banned
    live lives lived reside resides resided
    help helped assist assisted
    cancel cancelled canceled cancellation
    approve approved approval
    arrive arrived arrival
    allergic allergy
    roughly approximately
"""

_UNITS = """
    millisecond ms msec | second seconds sec secs s | minute minutes min mins | hour hours hr hrs h hourly
    day days daily d | week weeks weekly | fortnight fortnightly | month months monthly | quarter quarterly
    year years yearly annually annual | decade decades | century centuries
    byte bytes | kilobyte kilobytes kb | megabyte megabytes mb | gigabyte gigabytes gb | terabyte terabytes tb
    kib | mib | gib | tib
    millimetre millimetres mm | centimetre centimetres cm | metre metres meter meters | kilometre kilometres kilometer
    kilometers km | inch inches | foot feet ft | yard yards | mile miles
    gram grams g | kilogram kilograms kilo kilos kg | ton tons tonne tonnes | pound pounds lb lbs gbp | ounce ounces oz
    litre litres liter liters | millilitre millilitres ml | gallon gallons
    celsius | fahrenheit | kelvin
    watt watts | kilowatt kilowatts kw | volt volts | ampere amperes
    euro euros eur | dollar dollars usd | yen jpy | franc francs chf | rupee rupees inr | yuan cny | krona kronor
    percent pct | cent cents | half | double | triple
    am | pm | morning mornings | noon midday | afternoon afternoons | evening evenings | night nights nightly | midnight
    monday mondays | tuesday tuesdays | wednesday wednesdays | thursday thursdays | friday fridays
    saturday saturdays | sunday sundays | weekend weekends | weekday weekdays
    spring | summer | autumn fall | winter
"""

NUMBERS: Mapping[str, int] = {
    **{
        word: n
        for n, word in enumerate(
            """zero _ two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
        )
        if word != "_"
    },  # "one" is a pronoun as often as a number
    **{word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)},
    **{
        word: n
        for n, word in enumerate(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
        )
    },
    "twice": 2,
    "dozen": 12,
    "twentieth": 20,
    "thirtieth": 30,
    "fortieth": 40,
    "fiftieth": 50,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}
# What multiplies the number before it: "six thousand", "6k", "two dozen".
SCALES: Mapping[str, int] = {word: n for word, n in NUMBERS.items() if n >= 100 or word == "dozen"} | {"k": 1_000}

# Words that change the meaning of all that follows them in their clause, by the kind of change. Two statements say
# different things if a word of both is within such a scope in one of them only.
SCOPES: Mapping[str, frozenset[str]] = {
    "negated": frozenset(
        """no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
        weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't needn't hardly barely seldom rarely
        stop stopped refuses refused""".split()
    ),
    "exclusive": frozenset("only solely exclusively".split()),
    "uncertain": frozenset("may might maybe perhaps possibly probably allegedly supposedly".split()),
    "excepted": frozenset("except excepting unless excluding besides".split()),
    "former": frozenset("formerly previously former ex".split()),
}

# Words between two things that cannot be exchanged: "from A to B", "A before B".
DIRECTIONS = frozenset("from to into onto before after than over under above below until instead".split())
# Words between two things that can be exchanged: "A and B".
JOINERS = frozenset("and or".split())
PREPOSITIONS: Mapping[str, str] = {
    **{
        word: word
        for word in """from to before after than over under above below until instead at on in during since
    for within throughout of with without by through via about against between near as because per""".split()
    },
    "into": "to",
    "onto": "to",
}
ARTICLES = frozenset("a an the my your his her its our their this that these those every each".split())
SPEAKING = frozenset("i i'm i've i'll i'd me we we're we've we'll us".split())
# Words that begin a new phrase, besides prepositions.
SEGMENT_WORDS = frozenset(
    """and or but because so although though however while whereas unless if when where which who whose whom that then
    plus also not onto into""".split()
)
CLAUSE_WORDS = frozenset("but because so although though however while whereas".split())
AUXILIARIES = frozenset(
    """is was are were be been has have had does did do can will must should may might would could won lost left quit
    bought sold took met made wrote went got gave grew built found told kept came ran read set put said sang""".split()
)
PASSIVE = frozenset("is was are were be been being gets got isn't wasn't aren't weren't".split())
MEANS = frozenset(
    "hand mail email phone train car bus boat bike plane foot default accident mistake law design".split()
)
# Units that count as units only after a number, because they have other meanings: "second", "am".
AFTER_FIGURES = frozenset("s h d g am min mins ms sec secs second foot feet pound cent".split())
# Phrases that mean the same as one of the words above.
PHRASES: Mapping[str, str] = {
    "apart from": "except",
    "other than": "except",
    "aside from": "except",
    "no one": "nobody",
    "per cent": "percent",
}


def _rows(table: str) -> Iterable[list[list[str]]]:
    """Yield the lines of a word table.

    Each line is a list of sides (separated by "|"), and each side a list of words.
    """
    for line in table.strip().splitlines():
        yield [side.split() for side in line.split("|")]


def _sides() -> Mapping[str, frozenset[tuple[int, int]]]:
    """Return where each word is in `AXES`, the table of opposites, as (number of the line, number of the side)."""
    sides: dict[str, set[tuple[int, int]]] = {}
    for axis, row in enumerate(_rows(AXES)):
        for side, members in enumerate(row):
            for word in members:
                sides.setdefault(word, set()).add((axis, side))
    return {word: frozenset(places) for word, places in sides.items()}


def _representatives() -> Mapping[str, str]:
    """Return for the stem of each synonym the stem of the first word on its line, which represents the whole line."""
    representatives: dict[str, str] = {}
    for [row] in _rows(SYNONYMS):
        first = stem(row[0])
        for word in row:
            representatives.setdefault(stem(word), representatives.get(first, first))
    return representatives


SIDES = _sides()
# Units are written in capitals, to distinguish them from words of a text: "5 am" has a unit, "I am" has none.
_MONTH_WORDS = tuple(month.lower() if month != "May" else "mayday" for month in MONTH_NAMES[ENGLISH])
UNITS: Mapping[str, str] = {word: row[0].upper() for sides in _rows(_UNITS) for row in sides for word in row} | {
    month: month.upper() for month in _MONTH_WORDS
}
WEEKDAYS = frozenset(UNITS[day] for day in "monday tuesday wednesday thursday friday saturday sunday".split())
MONTHS = frozenset(UNITS[month] for month in _MONTH_WORDS)
MAY = "mayday"  # replaces the month May, which differs from "may" in its capital letter only
_REPRESENTATIVES = _representatives()


@cached(65_536)
def canonical(word: str) -> str:
    """Return the form of a word by which texts are compared.

    The form is the word's stem, or the stem that represents its synonyms. It is "" for a stop word. Words in capitals,
    which stand for units, are returned unchanged.
    """
    lexeme = word if word.isupper() else as_lexeme(word)
    return _REPRESENTATIVES.get(lexeme, lexeme)
