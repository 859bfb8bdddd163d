"""The languages for the lexical index: stemmers, stop words and month names; and each agent's language.

A language's Snowball stemmer maps the forms of a word to one lexeme. The language `simple` has no stemmer and uses
words as written. Stop words are not indexed. Month names are used to index a memory's date. For a language without a
list of stop words every word is indexed, and for one without month names the dates are in English.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import Stemmer

from brain.errors import UnknownLanguage

ENGLISH = "english"
SIMPLE = "simple"
_MAX_AGENTS = 10_000  # agents with another language than English that are remembered; others need a second query
NAMES: tuple[str, ...] = (*sorted(Stemmer.algorithms()), SIMPLE)

# Question words are in: a question's "when" is no evidence in a memory. Words of German and Greek are as `normalise`
# leaves them, with ss for ß and σ for ς. A text's language is recognised by these words, too.
COMMON_WORDS: Mapping[str, frozenset[str]] = {
    ENGLISH: frozenset(
        """a about above after again against all also am an and any are aren't as at be because been before being below
        between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few
        for from further get got had hadn't has hasn't have haven't having he her here hers herself him himself his how
        i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not now of
        off on once only or other our ours ourselves out over own please same shall she should shouldn't so some such
        than that that's the their theirs them themselves then there there's these they they're this those through to
        too under until up upon us very was wasn't we we're we've were weren't what what's when where which while who
        whom why will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves""".split()
    ),
    "german": frozenset(
        """ab aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist
        bitte da dabei dafür damit dann daran darauf das dass davon dazu dein deine deinem deinen deiner dem den denen
        denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
        einen einer eines er es etwa etwas euch euer eure für gegen gibt hab habe haben habt hast hat hatte hatten hier
        hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst
        kein keine keinem keinen keiner können konnte man mehr mein meine meinem meinen meiner mich mir mit muss müssen
        nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind
        so soll sollen sollte sondern sonst über um und uns unser unsere unserem unseren unter vom von vor wann war
        waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder will
        wir wird wo woher wohin wollen worden wurde wurden würde würden zu zum zur""".split()
    ),
    "spanish": frozenset(
        """a al algo alguien algún alguna algunas alguno algunos allí ante antes aquel aquella aquellas aquello aquellos
        aquí así aún aunque cada como cómo con contra cual cuál cuales cuáles cualquier cuando cuándo cuanto cuánto
        cuánta cuántas cuántos de del desde donde dónde dos durante e el él ella ellas ellos en entre era eran eres es
        esa esas ese eso esos esta está estaba estaban estamos están estar estas este esto estos estoy fue fueron ha
        había habían han has hasta hay he hemos la las le les lo los más me mi mí mis mucha muchas mucho muchos muy nada
        ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por
        porque pues que qué quien quién quienes quiénes se sea ser será si sí sido sin sobre sois somos son soy su sus
        también tampoco tan tanto te ti tiene tienen toda todas todo todos tu tú tus u un una unas uno unos usted
        ustedes vosotros vuestra vuestro y ya yo""".split()
    ),
    "french": frozenset(
        """à ai ainsi alors après as au aucun aucune aussi autre autres aux avaient avais avait avant avec avez avons
        ayant c'est car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d'un d'une dans de
        depuis des donc dont du elle elles en encore entre es est et étaient étais était été êtes être eu eux fut ici il
        ils j'ai je jusqu'à l'on la là le les leur leurs lui ma mais me même mes moi moins mon n'est ne ni non nos notre
        nous on ont ou où par parce pas peu peut plus plusieurs pour pourquoi qu'est qu'il qu'elle qu'on quand que quel
        quelle quelles quelque quelques quels qui quoi s'est s'il sa sans se sera ses si soi soit sommes son sont sous
        suis sur ta te tes toi ton tous tout toute toutes très tu un une va vers vos votre vous y""".split()
    ),
    "italian": frozenset(
        """a ad agli ai al alcuna alcune alcuni alcuno alla alle allo altra altre altri altro anche ancora avere aveva
        avevano c'è che chi ci ciò coi col come con contro cosa cui da dagli dai dal dalla dalle dallo dei degli del
        della delle dello di dopo dov'è dove e è ed era erano essere fra fu già gli ha hai hanno ho i il in io la le lei
        li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei nel nella nelle nello no noi non nostra
        nostre nostri nostro o ogni oppure per perché però più poi prima qual quale quali qualcosa qualche qualcuno
        quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo qui se sei senza si
        sì sia siamo sono sta stata state stati stato su sua sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu
        tua tue tuo tuoi tutta tutte tutti tutto un una uno vi voi vostra vostro""".split()
    ),
    "portuguese": frozenset(
        """a à ao aos às algo alguém algum alguma algumas alguns antes após aquela aquelas aquele aqueles aquilo aqui as
        até cada com como contra da das de dela dele deles depois desde dessa desse desta deste do dos e é ela elas ele
        eles em entre era eram essa essas esse esses esta está estão estas estava estavam este estes estou eu foi foram
        há isso isto já lá lhe lhes mais mas me mesmo meu meus minha minhas muita muitas muito muitos na não nas nem
        nenhum nenhuma no nos nós nossa nossas nosso nossos num numa o onde os ou outra outras outro outros para pela
        pelas pelo pelos por porque porquê qual quais qualquer quando quanta quantas quanto quantos que quê quem se seja
        sem ser será seu seus si sido só sobre somos sou sua suas também tão te tem têm teu teus toda todas todo todos
        tu tua tuas tudo um uma umas uns você vocês""".split()
    ),
    "dutch": frozenset(
        """aan al alle alles als altijd andere ben bent bij daar daarom dan dat de deze die dit doch doen door dus een
        elk elke en er ge geen geweest haar had hadden heb hebben hebt heeft hem hen het hier hij hoe hoeveel hun ik in
        is ja je jij jou jouw jullie kan kunnen maar me meer men met mij mijn moet moeten na naar nee niet niets nog nu
        of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer
        waren was wat we welk welke werd werden wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou
        zouden""".split()
    ),
    "russian": frozenset(
        """а без бы был была были было быть в вам вас ваш ваша ваши вот все всего всех вы где да для до его ее её
        если есть еще ещё же за здесь и из или им их к как какая какие какой какую ко когда кого кому кто куда ли
        лишь мне может мой моя мои можно мы на над нам нас наш наша наши не него нее нет ни них но ну о об обо он
        она они оно от очень по под почему при про с сам себя со сколько так также такой там те тем то того тоже той
        только том тут ты у уже чего чей чем что чтобы чьё эта эти это этого этой этом этот я""".split()
    ),
    "swedish": frozenset(
        """alla än att av blev bli blir då de dem den denna deras dess det detta dig din ditt där efter ej eller en
        er ett för från ha hade han hans har henne hennes här hon honom hur i inte jag kan kunde man med mellan men
        mig min mina mitt mot mycket när någon något några nu och om oss på så sig sin sina ska skulle som så till
        under upp ut utan vad var vår våra varför vara vem vi vid vilka vilken vilket""".split()
    ),
    "danish": frozenset(
        """af alle at blev bliver da de dem den denne der deres det dette dig din disse du efter ej eller en er et
        for fra ham han hans har havde hende hendes her hos hun hvad hvem hvilken hvilke hvis hvor hvordan hvorfor
        hvornår i ikke ind jeg kan kunne man mange med meget men mig min mine mit mod ned noget nogle når nu og også
        om op os på selv sig sin sine skal skulle som til ud under var ved vi vil ville vores være været""".split()
    ),
    "norwegian": frozenset(
        """alle at av bare ble blir da de deg dem den denne deres det dette din disse du eller en er et etter for
        fra før ha hadde han hans har henne hennes her hun hva hvem hvilken hvilke hvis hvor hvordan hvorfor i ikke
        inn jeg kan kunne man mange med meg men mellom mer min mine mitt mot mye når noe noen nå og også om opp oss
        over på selv seg sin sine skal skulle som til ut under uten var ved vi vil ville vår være vært""".split()
    ),
    "finnish": frozenset(
        """ei eivät en enemmän että hän hänen he heidän ja jo joka jos jotka kanssa kuin kuinka kuka kun kyllä me
        meidän mihin mikä miksi millainen milloin minä minun mistä missä mitä mitkä mukaan mutta myös ne niin niitä
        nyt olen oli olivat olla on ovat paljon se sekä sen siellä siinä sinä sinun sitä tai tämä tämän te tuo vain
        vai vielä voi voin""".split()
    ),
    "hungarian": frozenset(
        """a az abban ahhoz aki ami annak arra azt azután azzal be benne csak de e egy egyik ehhez el előtt én és
        ezek ezt ez ezért fel ha hanem hogy hogyan hol honnan hova így igen illetve is itt jól ki kell lehet lesz
        majd már meg még mert mi miért mikor milyen mint mit most nagyon ne nekem nem nincs ő ők össze ott pedig sem
        s számára szerint te után van vagy vannak volt voltak""".split()
    ),
    "turkish": frozenset(
        """acaba ama ancak bana bazı belki ben beni benim bir biri biz bize bizim böyle bu buna bunu bunun çok çünkü
        da daha de değil diye en gibi hangi hem hep her hiç için ile ise kaç kadar ki kim kimi mi mı mu mü nasıl ne
        neden nerede nereye niçin niye o olan olarak oldu olduğu on ona onlar onu onun sana sen seni senin siz sizin
        şey şu tüm var ve veya ya yani yok""".split()
    ),
    "romanian": frozenset(
        """a acea aceasta această aceea acest acesta aceste acestea acestei acestui acum ai aici al ale am ar are aș
        așa au avea ca că când care cât ce cea cei cel cele cine cu cum da dar de deci decât despre din dintre după
        ea ei ele era este eu fi fie foarte fost în între îi îl își îmi la le lor lui mai mea meu mi nici noi nostru
        nu o ori pe pentru prin sa să sale sau se și sunt te tu un una unde unei unui va voi vom""".split()
    ),
    "catalan": frozenset(
        """a al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests això allò cada com de del
        dels des doncs el ella elles ells els em en ens entre era és eren es està estan estava et eu fa fins ha han
        havia hi ho i jo la les li llavors meu meva meves meus més molt molta no nosaltres o on per però perquè pot
        qual quals quan què que qui quin quina quines quins se sense ser seu seva si sobre són també tan te té tot
        tota tots tu un una unes uns va vaig van""".split()
    ),
    "polish": frozenset(
        """aby ale am ani bardzo bez będzie by być był była było były bo ci co czy czego czyj dla do dlaczego gdy
        gdzie go i ich ile im ja jak jaka jaki jakie jako je jego jej jest jestem jeszcze jeśli już każdy kiedy kim
        kto która które który którzy lub ma mam mi mnie moja moje mój można my na nad nam nas nasz nasza nasze nie
        nic nich nim o od on ona one oni oraz po pod ponieważ przed przez przy się są skąd ta tak także tam te tego
        tej ten też to tu tutaj ty tylko tym u w we więc wszystko z za ze że""".split()
    ),
    "czech": frozenset(
        """a aby ale ani ano az až bez bude budou by byl byla byli bylo být co což či dnes do ho i já jak jaká jaké
        jaký jako je jeho jej její jejich jen ještě ji jsem jsi jsme jsou jste k kam kde kdo když ke která které
        který kteří má mám mezi mi mít mě mně mnou moje můj může my na nad nám nás náš naše ne nebo není než o od on
        ona oni ono pak po pod podle pokud proč pro proto protože před přes při s se si ta tak také tam tato ten
        tedy této to tohle toho tím tu už u v váš ve více však vy z za ze že""".split()
    ),
    "indonesian": frozenset(
        """ada adalah agar akan aku anda antara apa apakah atau bagaimana bagi bahwa berapa bisa bukan dalam dan
        dari dapat dengan di dia harus ia ini itu juga jika kalau kami kamu kapan karena ke kepada kita kok lagi
        lebih maka mana masih mereka mengapa namun oleh pada para sangat saya seperti serta siapa sudah tapi telah
        tentang tetapi tidak untuk yaitu yang""".split()
    ),
    "greek": frozenset(
        """αν από αυτά αυτή αυτό αυτόσ για δεν εγώ είμαι είναι είχε έχει έχω η ή ήταν θα και κάθε κάτι με μασ μου
        μια μία μόνο να ο οι όταν ότι όχι που πού ποια ποιο ποιοσ πόσο πότε πρέπει προσ πωσ πώσ σασ σε σου στα στη
        στην στισ στο στον στουσ τα τη την τησ τι τισ το τον του τουσ των ωσ""".split()
    ),
    "arabic": frozenset(
        """أن أنا أنت أو أي أين إذا إلا إلى إن التي الذي الذين بعد بين ثم حتى حيث ذلك على عليه عن عند فقط في فيه
        فيها قبل قد كان كانت كل كم كما كيف لا لكن لم لماذا له لها لن ليس ما متى مع من منذ منه منها نحن نعم هذا هذه
        هل هم هنا هناك هو هي و ولا يكون""".split()
    ),
}

MONTHS: Mapping[str, tuple[str, ...]] = {
    name: tuple(months.split())
    for name, months in {
        ENGLISH: "January February March April May June July August September October November December",
        "german": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "french": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "dutch": "januari februari maart april mei juni juli augustus september oktober november december",
    }.items()
}


def require(name: str) -> str:
    """Return `name` if it is a language of the lexical index.

    Raises:
        UnknownLanguage: there is no such language; the message lists the languages.
    """
    if name not in NAMES:
        raise UnknownLanguage(f"language: there is no {name!r}; there are {', '.join(NAMES)}")
    return name


@dataclass(frozen=True, slots=True)
class IndexLanguages:
    """The language that an agent's searches use, and the language that its index is being rebuilt in, if any."""

    language: str = ENGLISH
    pending_language: str | None = None

    @property
    def written(self) -> tuple[str, ...]:
        """The languages that new memories are indexed in; the language of searches is first."""
        return (self.language,) if self.pending_language is None else (self.language, self.pending_language)


DEFAULT_LANGUAGES = IndexLanguages()


class AgentLanguages:
    """A cache of each agent's languages, as last read from the database.

    Each read or write of memories refreshes it. It also marks the agents whose language must be recognised again,
    because they have grown.
    """

    def __init__(self) -> None:
        self._by_agent: OrderedDict[str, IndexLanguages] = OrderedDict()
        self._due: set[str] = set()

    def remember(self, agent_id: str, languages: IndexLanguages) -> None:
        """Store in the cache the languages that were read from the database for an agent."""
        self._by_agent.pop(agent_id, None)
        if languages != DEFAULT_LANGUAGES:
            self._by_agent[agent_id] = languages
        while len(self._by_agent) > _MAX_AGENTS:
            self._by_agent.popitem(last=False)

    def of(self, agent_id: str) -> IndexLanguages:
        """Return the agent's languages from the cache, or the default (English) if the agent is not in the cache."""
        return self._by_agent.get(agent_id, DEFAULT_LANGUAGES)

    def mark_due(self, agent_id: str) -> None:
        """Mark an agent whose language must be recognised again."""
        self._due.add(agent_id)

    def take_due(self, agent_id: str) -> bool:
        """Return whether an agent is marked, and remove the mark."""
        due = agent_id in self._due
        self._due.discard(agent_id)
        return due
