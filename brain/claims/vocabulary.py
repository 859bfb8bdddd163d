"""List the English words by which a statement is taken apart into subject, attribute and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brain.languages import ENGLISH
from brain.languages import MONTHS as MONTH_NAMES

# Verbs that may part the subject from the rest. The word forms are derived; irregular ones are listed below.
_VERBS = """
    accept add allow amount answer apply approve arrive ask assign attend back base bear become begin belong block
    book borrow break bring build buy call cancel carry change charge check clean clear close collect come commute
    compile configure connect consist contain control cost cover create cut decide default delay deliver deploy depart
    depend descale describe disable display do drink drive drop earn eat employ enable end enforce execute exist
    expire export expose fail feed feel fill finish fire fix fly follow found get give go grow handle hang happen
    hate have hold host include install issue join jam keep know lag last launch lead learn leave lie like limit
    list listen live locate log lose love maintain make manage mark marry mean measure meet merge monitor move name
    need notify occur offer open operate order own park pay pin plan play postpone prefer print process produce prohibit
    provide publish push put quit rate read reach rebuild receive recommend refresh reject release relocate renew rent
    repair replace reply report require rerun reschedule reset reside restart retain return review rotate run say
    schedule seat see sell send serve set settle shift ship show shut sign sit situate sleep slip speak spend
    stand start stay stop store study supply support switch take talk teach terminate test time transfer travel
    trigger try turn update upgrade use visit wait wake walk want wash watch wear weigh work write
    adopt appoint chair coordinate design develop edit elect encrypt inspect insure invite moderate mount nominate
    organise organize paint prescribe protect recruit register sponsor staff subscribe supervise translate validate
    verify
"""
# The first word of a row is the verb, the others its past forms. Rows are separated by ";".
_IRREGULAR_ROWS = """
    bear bore born; become became; begin began begun; break broke broken; bring brought; build built; buy bought;
    come came; cut cut; drink drank drunk; drive drove driven; eat ate eaten; feed fed; feel felt; find found;
    fly flew flown; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hold held;
    keep kept; know knew known; lead led; leave left; lie lay lain lying; lose lost; make made; mean meant;
    meet met; pay paid; put put; quit quit; read read; rerun reran; run ran; say said; see saw seen; sell sold;
    send sent; set set; show showed shown; shut shut; sit sat; sleep slept; speak spoke spoken; spend spent;
    stand stood; take took taken; teach taught; wake woke woken; wear wore worn; write wrote written
"""
_IRREGULAR = {row.split()[0]: row.split()[1:] for row in _IRREGULAR_ROWS.split(";")}
_VOWELS = frozenset("aeiou")
_DOUBLING = frozenset(
    """begin cancel commit cut drop get jam log pin plan put quit refer rerun reset run set shut sit slip stop transfer
    travel""".split()
)


def _forms(verb: str) -> Iterator[tuple[str, str]]:
    """Yield the forms of a verb, each with what it is: "base", "s", "past" or "ing"."""
    yield verb, "base"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        yield verb[:-1] + "ies", "s"
        past, ing = verb[:-1] + "ied", verb + "ing"
    else:
        yield verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"), "s"
        root = verb[:-1] if verb.endswith("e") else verb + verb[-1] * (verb in _DOUBLING)
        past, ing = root + "ed", root + "ing"
    for form in _IRREGULAR.get(verb, [past]):
        if form != verb:
            yield form, "past"
    yield ing, "ing"


# Each form of a verb, with the verb and what the form is.
VERBS: Mapping[str, tuple[str, str]] = {
    **{form: (verb, kind) for verb in _VERBS.split() for form, kind in _forms(verb)},
    **dict.fromkeys("is are was were be been am being".split(), ("be", "s")),
    "has": ("have", "s"),
    "have": ("have", "base"),
    "had": ("have", "past"),
    "does": ("do", "s"),
    "did": ("do", "past"),
    "done": ("do", "past"),
}
MODALS = frozenset("will shall must can should cannot".split())

# Texts with these words state nothing for certain, or refer to something outside the text.
UNSURE = frozenset(
    """if whether would could might may maybe perhaps possibly probably wonder wish hope hopefully unless suppose think
    thinks thought believe believes guess seems seem apparently almost what who whom whose why how which while although
    though but instead rather either or nor he she it they this that these those him them his her hers its their theirs
    there here says asked when where yesterday today tomorrow tonight honestly recently mostly sometimes
    often""".split()
)
NEGATIONS = frozenset(
    "not no never don't doesn't didn't isn't aren't wasn't weren't can't won't cannot without".split()
)

# Words by which no two statements differ.
EMPTY = frozenset(
    """a an the now currently nowadays still already always usually normally generally actually really just also again
    officially finally meanwhile anymore please about around approximately roughly exactly only my i we our us
    ours mine me new current own same following all every each any at of for in on to by with from as and is be has
    have per than then least most up more so very well name named called located into since until till latest present
    within everything here's there's 's both once default date time number level value amount""".split()
) - frozenset("default level".split())
FIRST_PERSON = frozenset("i my i'm me mine".split())
TITLES = frozenset("dr mr mrs ms prof st no vs inc ltd co jr sr approx".split())  # a full stop follows them
ARTICLES = frozenset("a an the our my your".split())

PREPOSITIONS = frozenset(
    """in on at by with from to for of under near behind over into onto as until till since after before within about
    per every during next""".split()
)
PLACE = frozenset("in at under onto into".split())
BESIDE = frozenset("near behind next".split())  # where something else is: "near the station" holds beside "in Ghent"

# The first word of a line represents all words of the line.
_SAME = """
    birthday birthdate birth bday b-day
    additional other another others
    ceo chief-executive
    colour color colours colors
    phone telephone mobile cellphone cell
    email mail e-mail
    deadline due
    manager boss supervisor manage manages managed
    owner own owns owned
    lead leader leads led head heads headed
    maintainer maintain maintains maintained
    spouse husband wife
    price cost costs priced fee fees charge charges charged
    kid kids child children
    flat apartment
    car automobile
    doctor physician
    password passphrase passcode pwd
    favourite favorite
    big biggest main largest primary
    month monthly
    hour hourly
    day daily
    week weekly
    weight weigh weighs weighed
    year yearly annual annually
    quarter quarterly
    night nightly
    start begin begins began begun starts started starting beginning
    end ends ended finish finishes finished expire expires expired
    leave leaves left depart departs departure
    close closes closed shut shuts
    production prod
    database db
    repository repo
    environment env
    config configuration
    keep keeps kept retain retains retained retention
    maximum max
    minimum min
    vet veterinarian
    trash rubbish garbage
    supplier supply supplies supplied
    move moves moved relocate relocated relocates
    use uses used using
    study studies studied
    holiday vacation
    mum mom mother
    dad father
    grandma grandmother
    grandpa grandfather
    wifi wlan wi-fi
    prefer preference preferences preferred
"""
SAME: Mapping[str, str] = {word: row.split()[0] for row in _SAME.strip().splitlines() for word in row.split()}

# A statement that names one of these of its subject can have any value: "The door code is 4471".
PROPERTIES = frozenset(
    """address account alias author balance birthday branch brand budget capacity capital category ceo cfo coach
    code colour competitor contact contractor countersign cto currency deadline default dentist diet director dish
    dns doctor domain drink editor email employer engine favourite flavour food format framework frequency gate goal
    host hostname hosting id insurance interval key landlord language lawyer lead leader length level licence
    license limit location lunch maintainer maker manager manufacturer max maximum mentor method minimum mode model
    motto name nickname number occupation office operator owner parser partner password phone pin plan plate
    platform pool port price priority profession provider quota rate region registrar rent retention role roommate
    salary schedule seat secretary sensitivity server size speed spouse status store strategy supplier surname
    system tax teacher team template tenant theme threshold timeout timezone title token tolerance tool topic
    trainer treasurer type username vendor venue version warehouse warranty wifi winner zone zip""".split()
)

# Properties whose value is the name of a person: "My manager is away" names no other manager.
PERSONS = frozenset(
    """author ceo cfo coach contractor cto dentist director doctor editor employer landlord lawyer lead leader
    maintainer manager mentor owner partner roommate secretary spouse supplier teacher trainer treasurer vendor
    winner""".split()
)

# Things of which people mostly have one: "our car is a Kia" gives it a value.
THINGS = frozenset("bike camera car computer laptop phone printer tablet tv van watch".split())

# States that exclude one another: the sides of an axis are separated by "|".
_STATES = """
    enabled on active activated | disabled off inactive deactivated
    open opened | closed shut
    married | single unmarried | divorced
    public | private
    required mandatory compulsory | optional voluntary
    allowed permitted | forbidden prohibited banned disallowed
    available | unavailable
    paid | unpaid
    online | offline
    locked | unlocked
    vegetarian | vegan
    alive | dead deceased
    approved accepted | rejected declined
    finished complete completed done | unfinished incomplete
    encrypted | unencrypted
    left-handed | right-handed
    full-time fulltime | part-time parttime
    automatic | manual
"""
STATES: Mapping[str, tuple[str, str]] = {
    word: (row.split()[0], side.split()[0])
    for row in _STATES.strip().splitlines()
    for side in row.split("|")
    for word in side.split()
}

NUMBERS: Mapping[str, str] = {
    word: str(n)
    for n, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()
    )
    if word != "one"
}
DAYS = frozenset(
    f"{day}{plural}"
    for day in "monday tuesday wednesday thursday friday saturday sunday weekend weekday".split()
    for plural in ("", "s")
)
MONTHS = frozenset(
    (
        *(month.lower() if month != "May" else "MAY" for month in MONTH_NAMES[ENGLISH]),
        *"jan feb mar apr jun jul aug sep sept oct nov dec".split(),
    )
)
CLOCK = frozenset("am pm noon midnight midday o'clock".split())
HOW_OFTEN = frozenset("every once twice daily weekly monthly yearly hourly nightly quarterly annually".split())

# What a number counts, and its units. Any other word after a number is a separate kind.
_UNITS = """
    duration millisecond milliseconds ms second seconds s sec secs minute minutes min mins hour hours h hrs
    duration day days week weeks month months year years quarter
    money euro euros eur dollar dollars usd pound pounds gbp franc francs chf cent cents yen
    percent percent pct
    degree degree degrees celsius fahrenheit
    mass gram grams g kg kilogram kilograms kilo kilos mg milligram milligrams ton tons tonnes
    length metre metres meter meters m cm mm km kilometre kilometres mile miles inch inches
    volume litre litres liter liters ml
    size kb mb gb tb kib mib gib byte bytes megabyte megabytes gigabyte gigabytes
"""
UNITS: Mapping[str, str] = {word: row.split()[0] for row in _UNITS.strip().splitlines() for word in row.split()[1:]}

# What the value of a preference is: two preferences are about the same only if both values are of one line.
_CHOICES = """
    drink tea coffee water juice beer wine soda milk espresso cola
    seat aisle window
    channel email phone sms chat slack mail telephone call calls letter whatsapp
    theme dark light
    indentation tabs spaces
    daytime morning mornings afternoon afternoons evening evenings
    length short long brief detailed concise
    editor vim emacs vscode pycharm intellij neovim
    transport train plane car bus bike
    pet cats dogs cat dog
"""
CHOICES: Mapping[str, str] = {word: row.split()[0] for row in _CHOICES.strip().splitlines() for word in row.split()[1:]}


def _singular(word: str) -> str:
    word = SAME.get(word, word)
    return word if word in PROPERTIES else word.removesuffix("s")


def has_property(words: Sequence[str]) -> bool:
    """Return True if a phrase has a property such as "code"."""
    return any(_singular(word) in PROPERTIES for word in words)


def names_thing(words: Sequence[str]) -> bool:
    """Return True if a phrase is what someone mostly has one of, such as "my car"."""
    return bool(words) and words[0] in ("my", "our") and SAME.get(words[-1], words[-1]) in THINGS


def names_person(words: Sequence[str]) -> bool:
    """Return True if the last word of a phrase is what a person is to someone, such as "manager"."""
    return bool(words) and _singular(words[-1]) in PERSONS


def names_property(words: Sequence[str]) -> bool:
    """Return True if a phrase has a property such as "code" as its head: at its end, or before "of" or "for"."""
    named = [word for word in words if word not in ("number", "name")] or words
    ends = (*named[1:], "of")
    return any(
        _singular(word) in PROPERTIES and end in ("of", "for", "in", "to", "at")
        for word, end in zip(named, ends, strict=True)
    )
