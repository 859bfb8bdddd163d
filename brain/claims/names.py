"""Tell names of people from what else one is: "I'm Tom" gives a name, "I'm German" and "I'm Team Lead" give none.

The lists are of the commonest words and therefore incomplete. "I'm X" counts as a name unless a word of X is listed
here, since with a capital letter a name is what people most often say with these words.
"""

from __future__ import annotations

import re

from brain.claims.vocabulary import DAYS

# What people are, by nation, faith, work, star sign, view or mood, as it is written with a capital letter.
_NO_NAMES = frozenset(
    """aboriginal african afghan albanian algerian american angolan arab arabic argentine argentinian armenian asian
    australian austrian azerbaijani bangladeshi basque bavarian belarusian belgian bengali black bolivian bosnian
    brazilian breton british bulgarian burmese californian cambodian cameroonian canadian catalan caucasian chilean
    chinese colombian congolese cornish croatian cuban cypriot czech danish dutch ecuadorian egyptian emirati
    english eritrean estonian ethiopian european fijian filipina filipino finnish flemish french frisian galician
    georgian german ghanaian greek guatemalan haitian hawaiian hispanic honduran hungarian icelandic indian
    indigenous indonesian iranian iraqi irish israeli italian ivorian jamaican japanese jordanian kazakh kenyan
    korean kosovar kurdish kuwaiti lankan latina latino latinx latvian lebanese liberian libyan lithuanian
    londoner luxembourgish macedonian malaysian maltese maori mexican mizrahi moldovan mongolian moroccan namibian
    nepalese nepali nicaraguan nigerian nordic norwegian omani pakistani palestinian panamanian paraguayan parisian
    persian peruvian polish polynesian portuguese punjabi qatari rican romanian russian rwandan salvadoran samoan
    saudi scandinavian scottish senegalese serb serbian sicilian sikh singaporean slavic slovak slovakian slovene
    slovenian somali spanish sudanese swabian swedish swiss syrian taiwanese tamil tanzanian texan thai tibetan
    tunisian turkish ugandan ukrainian uruguayan uzbek venezuelan vietnamese welsh white yemeni yorker zambian
    zealander zimbabwean
    adventist agnostic amish anglican ashkenazi atheist baha'i baptist buddhist calvinist catholic christian
    evangelical hindu jain jewish lutheran mennonite methodist mormon muslim orthodox pagan pentecostal
    presbyterian protestant quaker sephardic shia sunni taoist wiccan
    anarchist communist conservative democrat feminist labour liberal libertarian marxist pacifist republican
    socialist tory
    aquarius aries cancer capricorn gemini libra pisces sagittarius scorpio taurus virgo
    accountant admin administrator analyst architect artist assistant ceo cfo chairman chairwoman coach cofounder
    consultant coordinator cto dentist designer developer devops director doctor editor electrician engineer
    founder freelancer head intern journalist junior lawyer lead leader lecturer librarian maintainer manager
    marketer musician nurse officer owner pharmacist photographer physician physicist pilot plumber president
    principal producer professor programmer psychologist realtor receptionist recruiter researcher scientist
    scrum secretary senior staff student supervisor support surgeon sysadmin teacher technician therapist trainer
    translator treasurer tutor veterinarian vet writer
    asexual autistic bi bisexual boomer deaf gay gen lesbian millennial nonbinary pansexual queer trans transgender
    asthmatic celiac coeliac diabetic epileptic halal kosher pescatarian vegan vegetarian
    bored busy dad done divorced engaged fine glad good great happy here home hungry late lost married mom mum
    new off ok okay pregnant ready retired sad sick single sober sorry sure tired unemployed widowed
    engineering excited finance hr interested it legal marketing ops pm product qa remote sales vp
    berliner cherokee gujarati malay trinidadian
    batman catwoman god groot santa spiderman superman""".split()
)
# Of these, what is also a surname: "I'm Betty White".
_SURNAMES = frozenset("baptist black christian dutch english french german head irish new scottish welsh white".split())
_NO_LATER_NAMES = _NO_NAMES - _SURNAMES
# What is said of a name: "my name is misspelled", "my name is a secret", but "my name is An".
_OF_NAMES = frozenset(
    """not now a an the my your his her their on in at of too so very still already often always never usually wrong
    correct missing everywhere common used written hard easy really quite rather pretty long short difficult unusual
    rare funny weird odd nice boring taken known spelled spelt misspelled misspelt misspelling pronounced
    mispronounced""".split()
)
_MAX_INITIALS = 2  # letters of "I'm AJ"; longer words in capitals are codes or shouted
_NO_CALLS = DAYS | {"asap", "back", "crazy", "later", "maybe", "now", "sometime", "today", "tomorrow", "tonight"}
_WORD = r"[A-Z][\w'’-]+"
_OWN_NAME = re.compile(
    r"(?:^|[,.!] |^(?:[Aa]ctually|[Ww]ell|[Oo]h|[Ss]o|[Oo]k) )"
    rf"(?:(?:[Ii]['’]?m|[Ii] am) (?P<who>{_WORD}(?: {_WORD})*)"
    rf"|[Mm]y name(?:['’]?s| is)(?: now)? (?P<named>(?!(?:{'|'.join(sorted(_OF_NAMES))})\b)[\w'’-]+(?: [\w'’-]+)?))"
    r"(?=(?P<end>[.!]*$)|[.,!]|$| (?:and|from|by|here|now)\b)"
)
_CALL_ME = re.compile(rf"(?:[Pp]lease |[Jj]ust |[Yy]ou can )*[Cc]all me ({_WORD})(?: please)?[.!]*")


def gives_own_name(statement: str) -> bool:
    """Return True if a statement gives its speaker's name: "I'm Tom, from accounting", "my name is tom"."""
    return any(map(_name, _OWN_NAME.finditer(statement)))


def with_name_named(statement: str) -> str:
    """Return "I'm Tom" as "my name is Tom", and "call me Tom" as "my nickname is Tom".

    A statement that says something else, or more, is returned unchanged.
    """
    called = _CALL_ME.fullmatch(statement)
    if called is not None and called[1].lower() not in _NO_CALLS:
        return f"my nickname is {called[1]}"
    found = _OWN_NAME.match(statement)
    name = _name(found) if found is not None and found["end"] is not None else None
    return f"my name is {name.title()}" if name is not None else statement


def _name(found: re.Match[str]) -> str | None:
    """Return the name that was found, or None if the words say something else, such as a nationality."""
    if found["named"] is not None:
        return found["named"]
    first, *others = re.split(r"[\s-]", found["who"])
    if first.lower() in _NO_NAMES or (first.isupper() and len(first) > _MAX_INITIALS):
        return None
    return None if any(part.lower() in _NO_LATER_NAMES for part in others) else found["who"]
