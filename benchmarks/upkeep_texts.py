"""Write varied synthetic memories: facts from templates, events, talk and logs, among which pairs can be planted.

No two facts state the same attribute of the same subject, so that a listed contradiction between two of them is wrong.
Events and talk may repeat a subject: two visits or two opinions don't contradict each other.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_SLOT = re.compile(r"\{(\w+)\}")

SLOTS: dict[str, list[str]] = {
    "first": """Abel Ada Agnes Alan Albert Alba Alice Amal Amos Anita Anke Arno Astrid Bashir Bea Bernd Bianca Boris
        Brigid Caio Camille Cecil Celia Chen Chloe Cyrus Dagmar Dalia Damian Daphne Delia Edgar Edith Elias
        Elke Emil Enzo Erika Esther Ewan Fabio Fatima Felix Fiona Flora Gavin Gerda Gideon Gloria Goran Greta Hakan
        Hana Heidi Helga Hugo Ida Igor Ilse Imani Irene Ivo Jakob Jamal Jasmin Joel Judith Kai Karim Katja Keiko Kofi
        Lars Layla Leila Linus Lola Lucia Magda Malik Manuel Marta Mateo Mei Milan Mona Nadja Nico Noor Olga Oskar Otto
        Pavel Petra Pia Quentin Rafael Rania Rita Ronan Ruben Sabine Samir Selma Silvia Simon Tamar Thea Uma Ursula
        Vera Viktor Walid Wanda Xenia Yara Yuki Yvonne Zara Zeno""".split(),
    "last": """Abbott Acosta Adler Almeida Amadi Arendt Bakker Barnes Becker Bianchi Blum Bose Brandt Bruno Castro
        Chavez Cohen Conti Costa Dalton Demir Diallo Dietrich Dorsey Duarte Eder Egan Erdem Falk Farrell Fischer Fonseca
        Fraser Garcia Gallo Gruber Haas Hansen Hartley Hassan Herrera Horvat Ibarra Iqbal Ito Jansen Jensen Kaya Keller
        Khan Kimura Klein Kovacs Krause Kumar Lang Larsen Leclerc Lopez Lund Maier Marin Mendes Meyer Mori Moser Nagy
        Nakata Neri Novak Nunes Obi Okafor Olsen Ortiz Otero Park Patel Pereira Petit Popov Quist Rahman Ramos Reyes
        Ricci Rossi Roth Sato Schmid Serra Silva Singh Soto Stein Suzuki Tanaka Torres Unger Vargas Vidal Vogel Wagner
        Weber Wolf Yamada Yilmaz Zeller Zhang""".split(),
    "city": """Aarhus Athens Austin Basel Bergen Bilbao Bologna Boston Bremen Brno Cairo Chicago Cork Dakar Delhi Denver
        Dresden Dublin Essen Geneva Genoa Ghent Girona Graz Hanoi Izmir Kyoto Lagos Leeds Leipzig Lille Lima Linz Lyon
        Malmo Miami Milan Nagoya Nantes Oslo Osaka Parma Perth Prague Quito Riga Salzburg Seattle Seoul Split Tallinn
        Tampere Toronto Turin Turku Utrecht Verona Vienna Warsaw York Zagreb Zurich""".split(),
    "job": """nurse,teacher,carpenter,data analyst,lawyer,baker,pilot,translator,plumber,dentist,architect,gardener,
        journalist,pharmacist,electrician,librarian,geologist,accountant,tailor,vet,sound engineer,bus driver,chemist,
        social worker,photographer,product manager,welder,florist,surveyor,economist""".split(","),
    "company": """Acorn Labs,Bluefin,Cobalt Works,Delta Freight,Evergreen Foods,Fjord Energy,Granite Bank,Halcyon Media,
        Indigo Air,Juniper Health,Kestrel Systems,Lumen Optics,Meridian Steel,Nimbus Data,Orchard Retail,Pinnacle Tools,
        Quarry Games,Redwood Paper,Sable Motors,Tundra Outdoor,Umbra Films,Vertex Pharma,Willow Care,Zephyr Rail
        """.split(","),
    "hobby": """chess,climbing,pottery,fly fishing,choir singing,origami,bird watching,archery,salsa,rowing,
        beekeeping,knitting,astronomy,fencing,surfing,baking bread,old maps,crosswords,judo,table tennis,calligraphy
        """.split(","),
    "food": """lentil soup,mushroom risotto,fish tacos,rye bread,spinach pie,pad thai,ramen,falafel,roast duck,
        potato salad,pumpkin curry,blueberry pancakes,shakshuka,onion tart,goulash,couscous,sushi,paella,dumplings
        """.split(","),
    "thing": """bicycle,toaster,dishwasher,tent,camera,laptop,bookshelf,lawn mower,armchair,violin,sewing machine,drill,
        suitcase,microscope,kayak,freezer,telescope,hammock,printer,vacuum cleaner,ladder,projector,mattress,wheelbarrow
        """.split(","),
    "service": [
        f"{a}-{b}"
        for a in "auth billing cart catalog chat email export feed geo image invoice ledger media order payment report"
        " search stock tax user".split()
        for b in "api worker gateway scheduler cache indexer proxy sync importer mirror".split()
    ],
    "tool": """Redis,Kafka,Postgres,MySQL,Nginx,Traefik,Terraform,Ansible,Jenkins,Grafana,Loki,Vault,Consul,RabbitMQ,
        Elasticsearch,MinIO,Celery,Airflow,Sentry,Prometheus,Docker,Helm,Poetry,Webpack,Vite,Bazel""".split(","),
    "team": """platform,mobile,growth,search,payments,security,data,design,support,legal,finance,hardware,logistics,
        procurement,training,research,localisation,compliance""".split(","),
    "topic": """the new price list,data retention,the hiring plan,onboarding,the office move,travel costs,the roadmap,
        an outage,licences,the annual audit,customer churn,test coverage,the newsletter,accessibility,energy use,
        the summer party,parking spaces,a partner contract,the beta programme,shift planning""".split(","),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "month": "January February March April May June July August September October November December".split(),
    "feeling": """tired,relieved,proud,nervous,bored,grateful,annoyed,curious,homesick,excited,calm,jealous,hopeful,
        overwhelmed,cheerful""".split(","),
    "relative": """my sister,my brother,my cousin,my aunt,my uncle,my neighbour,an old friend,my boss,my dentist,
        a colleague,my grandfather,my niece,my landlady,our trainer""".split(","),
    "place": """the lake,the old harbour,the flea market,the botanical garden,the science museum,the night market,
        the mountain hut,the swimming pool,the castle ruins,the jazz club,the public library,the farm shop,
        the train museum,the island,the rooftop bar,the climbing hall,the stadium,the art fair""".split(","),
    "weather": "rain,fog,snow,a heat wave,strong wind,hail,sunshine,a thunderstorm,drizzle,frost".split(","),
    "error": """timeout,null pointer,permission denied,disk full,connection reset,out of memory,certificate expired,
        deadlock,bad checksum,missing file,rate limited,segmentation fault,dns failure,broken pipe""".split(","),
    "fruit": """apples,plums,pears,cherries,grapes,figs,apricots,quinces,melons,peaches,walnuts""".split(","),
    "colour": "red green blue yellow white black grey brown orange purple silver turquoise".split(),
    "species": "beagle,poodle,tabby cat,parrot,rabbit,tortoise,gecko,canary,collie,hamster,pony,ferret".split(","),
    "course": """statistics,Portuguese,watercolour painting,first aid,woodwork,machine learning,bookkeeping,
        sign language,screen printing,public speaking,welding,photography,music theory""".split(","),
    "part": """belt,filter,sensor,valve,bearing,fuse,gasket,display,battery,hinge,pump,relay,nozzle,switch,cable,fan
        """.split(","),
}

FACTS = """
{first} {last} works as a {job} at {company}.
{first} {last} lives in {city}.
{first} {last}'s birthday is on {d28} {month}.
The email address of {first} {last} is {word}{n3}@mail.example.
{first} {last}'s phone number is 555-{n4}.
{first} {last} was born in {city} in {year}.
{first} {last} sits in room {n4} and answers for {topic}.
{first} {last} prefers meetings on {day} mornings.
{first} {last} is allergic to {fruit}.
{first} {last}'s favourite dish is {food}.
{first} {last} joined the {team} team in {month} {year}.
Customer {n5} is on the {colour} plan and pays {n3} euros a month.
Customer {n5} asked to be contacted by phone on {day}s.
Customer {n5}'s contract ends on {d28} {month} {year}.
Order {n6} contains {n2} boxes of {fruit} for {city}.
Order {n6} was shipped to {city} on {d28} {month}.
Invoice {n6} over {n4} euros is still unpaid.
Ticket {n5}: {service} reports {error} after the update.
Ticket {n5} is assigned to {first} {last}.
Host {service}-{n3} has {n2} GB of memory.
Host {service}-{n3} runs {tool} {n1}.{n2}.
The port of {service} in cluster {n3} is {n4}.
Machine {n4} needs a new {part} every {n2} months.
Machine {n4} is in hall {n2}.
Part {n5} ({part}) costs {n3} euros at {company}.
Part {n5} is stored on shelf {n2} in aisle {n1}.
Room {n4} in the {city} office seats {n2} people.
Patient {n5} takes {n3} mg of the medicine twice a day.
Patient {n5} has an appointment on {d28} {month} at {hour}:30.
Locker {n4} belongs to {first} {last}.
The serial number of the {thing} in room {n4} is {word}-{n5}.
Flight {n4} to {city} leaves at {hour}:{min}.
Bus line {n3} runs every {n2} minutes between the station and {city} airport.
Article {n5} of the shop is a {colour} {thing}.
Book {n5} in the catalogue is about {hobby} in {city}.
Sample {n6} was taken near {city} and contains {n2} percent water.
Error code {word}{n4} means "{error}" in {service}.
Field {n4} of the farm grows {fruit}.
Project {word} {n4} is led by {first} {last}.
Project {word} {n4} has a budget of {n3},000 euros.
The job {service}-{word}-{n3} runs every day at {hour}:{min}.
Feature flag {word}_{n4} is owned by the {team} team.
The {colour} {thing} with tag {n5} was bought in {year}.
License {word}-{n5} for {tool} is valid until {month} {year}.
Student {n5} takes the course in {course} with {first} {last}.
Badge {n5} opens the {colour} door on floor {n1}.
Supplier {n4} delivers {fruit} from {city} on {day}s.
Version {n1}.{n2}.{n3} of {service} was released on {d28} {month} {year}.
"""

EVENTS = """
I went to {place} with {relative} on {day}, and we ate {food} until {hour} in the evening.
On {day} {relative} complained about {topic}, which made me {feeling}.
Yesterday I tried {food} in {city} and felt {feeling} afterwards because of {weather}.
{relative} bought a {colour} {thing} from a man in {city} and is {feeling} about it.
I have been learning {course} since {month}, mostly with {relative}.
We talked about {topic} with the {team} team; {first} was {feeling}.
After {weather} in {month} the {thing} in the cellar was ruined.
My {species} hid under the {thing} because of {weather}.
Today {first} showed me how to repair the {thing}, and then we went to {place}.
I dreamt of {place} and a {colour} {species}.
In {year} I travelled from {city} to {city} with {relative} to see {place}.
{first} and I planned a trip to {place} in {month}, but there was {weather}.
{relative} makes the best {food}, and always with {fruit} on the side.
I read a long article about {hobby} in {city} and sent it to {first}.
The concert at {place} was cancelled because of {weather}, so {first} was {feeling}.
{first} gave a lecture on {course} in {city} and mentioned {tool} only once.
At the {team} meeting we agreed to postpone {topic} until {month}.
We lost two hours to {error} in {service} on {day}; {first} fixed it with {tool}.
{tool} failed with {error} during the deployment of {service}, {first} rolled it back.
The {team} team tried {tool} for {topic} and was {feeling} about the result.
Please remember that {relative} wants to hear about {topic} before {month}.
It took {first} {n2} minutes to find {place} in {city} during {weather}.
Someone left a {colour} {thing} in front of {place}, {first} took it home.
{first} thinks {hobby} is harder than {hobby}, but {relative} disagrees.
I picked {n2} kilos of {fruit} near {place} and gave half of them to {relative}.
The guide in {city} explained {topic} for {n2} minutes while we waited for {food}.
{first} laughed about the {species} at {place}, and I felt {feeling}.
For the party on {day} {first} brings {food} and {relative} brings {fruit}.
I wonder whether {course} would help {first} with {topic}.
{relative} sold the {thing} in {month} to pay for {course}.
"""

TALK = """
Have you ever been to {place} in {weather}? {relative} goes there every {month}.
That sounds {feeling}, {first}! How did {relative} react to {topic}?
Thanks {first}, I will look at {topic} on {day} and write to {relative}.
I am so {feeling} today, {first}. Even {food} did not help.
Haha, {relative} said exactly the same about the {colour} {thing}!
No worries, we can do {hobby} some other time, maybe after {month}.
Can you ask {first} about the {thing}? I need it for {place}.
What do you think of {tool} for {topic}? {first} was {feeling} about it.
Good idea. Let us meet at {place} and talk about {course} with {first}.
Honestly, {hobby} with {relative} is the best part of my {month}.
If {weather} stops by {day}, we could take the {species} to {place}.
Let me know when {first} has news on {topic}; I am {feeling} already.
The photos of {place} are lovely, {first}. Was {relative} there too?
Sorry for the late answer, {weather} broke the {thing} and I had to call {relative}.
I never understood why {first} likes {hobby} more than {food}.
"""

_NUMBERS = {
    "n1": (1, 9),
    "n2": (11, 98),
    "n3": (101, 999),
    "n4": (1001, 9999),
    "n5": (10001, 99999),
    "n6": (100001, 999999),
    "d28": (1, 28),
    "hour": (6, 21),
    "year": (1985, 2025),
}
_SYLLABLES = (
    "ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ra re ri ro sa se ta te".split()
)


def texts(count: int, seed: int = 0) -> list[str]:
    """Return `count` different synthetic memories: half facts, a third events, the rest talk."""
    chance = random.Random(seed)
    tables = [table.strip().splitlines() for table in (FACTS, EVENTS, TALK)]
    made: dict[str, None] = {}
    subjects: set[str] = set()
    while len(made) < count:
        kind = chance.choices((0, 1, 2), (50, 33, 17))[0]
        template = chance.choice(tables[kind])
        filled = list(_filled(template, chance))
        if kind == 0:
            subject = template + "|" + "|".join(filled[: _subject_slots(template)])
            if subject in subjects:
                continue
            subjects.add(subject)
        text = _SLOT.sub("{}", template).format(*filled)
        made[text[0].upper() + text[1:]] = None
    return list(made)


def _filled(template: str, chance: random.Random) -> Iterator[str]:
    for slot in _SLOT.findall(template):
        if slot in _NUMBERS:
            yield str(chance.randint(*_NUMBERS[slot]))
        elif slot == "min":
            yield f"{chance.randrange(0, 60, 5):02}"
        elif slot == "word":
            yield "".join(chance.choices(_SYLLABLES, k=3))
        else:
            yield chance.choice(SLOTS[slot]).strip()


def _subject_slots(template: str) -> int:
    """Return how many of a template's first slots name the subject: a full name, or the first number."""
    slots = _SLOT.findall(template)
    last = next((n for n, slot in enumerate(slots) if slot in ("n3", "n4", "n5", "n6") or slot == "last"), 0)
    return last + 1
