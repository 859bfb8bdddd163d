"""The language of a text and of a store is recognised by common words."""

from __future__ import annotations

import pytest

from brain.language_detection import language_of_store, language_of_text
from brain.languages import COMMON_WORDS

TEXTS = {
    "english": "We moved the release to the week after the conference.",
    "german": "Die Sitzung ist auf den Dienstag verschoben, weil der Raum nicht frei war.",
    "french": "Nous avons décidé de garder le contrat avec le fournisseur jusqu'à la fin du mois.",
    "spanish": "La reunión con el cliente se canceló porque no había sala.",
    "portuguese": "A reunião com o cliente foi cancelada porque não havia uma sala.",
    "italian": "La riunione con il cliente è stata spostata perché non c'era una sala.",
    "dutch": "De vergadering met de klant is verplaatst omdat er geen zaal vrij was.",
    "swedish": "Mötet med kunden har flyttats till tisdag för att det inte fanns något rum.",
    "danish": "Mødet med kunden er flyttet til tirsdag, fordi der ikke var noget ledigt rum.",
    "norwegian": "Møtet med kunden er flyttet til tirsdag fordi det ikke var noe ledig rom, og jeg må vite hvor mange.",
    "finnish": "Kokous siirtyi tiistaille, koska se oli jo sovittu ja meillä ei ole vielä tilaa, mutta tämä on hyvä.",
    "hungarian": "A megbeszélés kedden lesz, mert nem volt szabad terem, és ezt már meg kell írni az ügyfélnek.",
    "turkish": "Toplantı salı gününe alındı çünkü boş bir oda yok ve bunu müşteri için daha iyi buldular.",
    "romanian": "Ședința cu clientul a fost mutată pentru că nu era nicio sală și nici noi nu am fost gata.",
    "catalan": "La reunió amb el client és dimarts perquè no hi havia cap sala i els del equip també són fora.",
    "polish": "Spotkanie z klientem jest we wtorek, bo nie było wolnej sali, ale już się tak umówiliśmy.",
    "czech": "Schůzka se zákazníkem je až v úterý, protože nebyl volný sál, ale jsme už domluveni.",
    "indonesian": "Rapat dengan klien itu dipindahkan ke hari Selasa karena tidak ada ruang yang kosong.",
    "russian": "Встреча с клиентом перенесена на вторник, потому что не было свободной комнаты, но это не проблема.",
    "greek": "Η συνάντηση με τον πελάτη είναι την Τρίτη, γιατί δεν ήταν ελεύθερη η αίθουσα και θα είμαστε όλοι εκεί.",
    "arabic": "تم نقل الاجتماع مع العميل إلى يوم الثلاثاء لأن القاعة كانت مشغولة من قبل، هل هذا كان في الصباح؟",
}


@pytest.mark.parametrize("language", COMMON_WORDS)
def test_text_is_recognised_by_its_common_words(language):
    assert language_of_text(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Frau Lindner",
        "x = [y, z]; print(x)",
        "Postgres 17, Redis 8, Kafka 4",
        "会議は金曜日の午後三時からです。",
        "我们决定使用Postgres。",
        "13800 13801 13802",
    ],
)
def test_names_code_and_unspaced_scripts_are_not_recognised(text):
    assert language_of_text(text) is None


def test_store_has_the_language_of_most_recognised_texts():
    german, english, unknown = TEXTS["german"], TEXTS["english"], "Postgres 17"
    assert language_of_store([german]) == "german"
    assert language_of_store([german, german, english]) == "german"
    assert language_of_store([german, german, *[unknown] * 18]) == "german"
    assert language_of_store([german, english]) is None
    assert language_of_store([unknown]) is None
    assert language_of_store([]) is None
    assert language_of_store([english, *[unknown] * 99]) == "english"


@pytest.mark.parametrize(
    "contents",
    [
        ["Met Ana de la Cruz in Rio de Janeiro."],
        ["Los Angeles, La Jolla, Las Vegas"],
        ["I am in Bar Harbor, war museum"],
        [TEXTS["german"], "Postgres 17"],
        [TEXTS["german"], *["Postgres 17"] * 99],
        [*[TEXTS["german"]] * 2, *["Postgres 17"] * 19],
    ],
)
def test_few_texts_or_words_do_not_replace_english(contents):
    assert language_of_store(contents) is None
