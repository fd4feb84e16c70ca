# ruff: noqa: RUF012 - tables of a class that never change
"""Italian tables."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

MASCULINE = words(
    "problema problemi tema temi sistema sistemi programma programmi clima poeta poeti turista artista pianeta cinema euro "
    "schema dramma papa collega "
    "anno anni giorno giorni mese mesi"
)
FEMININE = words(
    "volte persone ore donne mano mani foto moto notte notti parte parti chiave chiavi legge leggi voce luce classe classi "
    "città serie base basi rete reti "
    "pagine settimane tonnellate lire sterline vittime case ragazze bambine auto radio gente nave navi stazione canzone opere "
    "squadre aziende imprese"
)
FEMININE_NAMES = words(
    "elisabetta maria caterina margherita vittoria isabella giovanna cristina regina guerra"
)
_CENT = Noun("centesimo", "centesimi")
_UNITS = nouns("""
    ppm | parte per milione | parti per milione
    m | metro | metri
    g,gr | grammo | grammi
    kg,Kg | chilo | chili
    t | tonnellata | tonnellate | f
    l,L | litro | litri
    h | ora | ore | f
    min | minuto | minuti
    s,sec | secondo | secondi
    d,gg | giorno | giorni
    W | watt
    Wh | wattora
    V | volt
    A | ampere
    Hz | hertz
    B | byte
    J | joule
    cal | caloria | calorie | f
    Pa | pascal
    Ω | ohm
    eV | elettronvolt
    bit/s | bit al secondo
    mol | mole | moli | f
    N | newton
    K | kelvin
    mph | miglio orario | miglia orarie
    kmh | chilometro orario | chilometri orari
    km/h | chilometro orario | chilometri orari
    ft | piede | piedi
    in | pollice | pollici
    mi | miglio | miglia
    lb,lbs | libbra | libbre | f
    oz | oncia | once | f
    ha | ettaro | ettari
    °C,℃,ºC,° C,º C | grado Celsius | gradi Celsius
    °F,℉,ºF,° F | grado Fahrenheit | gradi Fahrenheit
    ° | grado | gradi
    % | per cento
    ‰ | per mille
    dB | decibel
    CV | cavallo | cavalli
    bar | bar
    mAh | milliampere ora
    Nm | newton metro
    px | pixel
    mq | metro quadrato | metri quadrati
    mc | metro cubo | metri cubi
    kmq | chilometro quadrato | chilometri quadrati
    rpm,giri/min | giro al minuto | giri al minuto
    q | quintale | quintali
""")


def _currency(one: str, many: str, cent: Noun | None = _CENT, gender: str = "m") -> Currency:
    return Currency(Noun(one, many, gender), cent)


class ItalianTables(Tables):
    """What Italian calls things."""

    code = "it"
    groups = ". \u00a0'"
    phrases = Phrases(
        to="a", and_="e", minus="meno", plus="più", point="punto", comma="virgola", percent="per cento",
            permille="per mille", per="al",
        degrees=Noun("grado", "gradi"), by="per", number="numero", at="chiocciola", slash="barra", colon="due punti",
            dash="trattino",
        underscore="trattino basso", hash="hashtag", equals="uguale", not_equal="diverso da", times="per", divided="diviso",
            less="minore di",
        greater="maggiore di", less_equal="minore o uguale a", greater_equal="maggiore o uguale a", about="circa",
            plus_minus="più o meno",
        root="radice quadrata di", infinity="infinito", squared="al quadrato", cubed="al cubo", power="alla", over="su",
            section="paragrafo",
        sections="paragrafi", question="punto interrogativo", exclamation="punto esclamativo", ampersand="e", star="asterisco",
        extension="interno", dollar="dollaro", euro="euro", pound="sterlina", yen="yen", arcminute=Noun("minuto", "minuti"),
            foot=Noun("piede", "piedi"), inch=Noun("pollice", "pollici"),
    )  # fmt: skip
    months = (
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre",
        "dicembre",
    )  # fmt: skip
    month_abbreviations = {
        "gen": 1, "feb": 2, "mar": 3, "apr": 4, "mag": 5, "giu": 6, "lug": 7, "ago": 8, "set": 9, "sett": 9, "ott": 10,
        "nov": 11, "dic": 12,
    }  # fmt: skip
    day_mark = "[º°]?"
    short_date_marks = "/.-"
    decade_pattern = r"(?<=anni )'?(\d0)(?![^\W_])|(?<=Anni )'?(\d0)(?![^\W_])"
    time_suffixes = r"h|ore|utc|gmt|cet|[ap]\.?m\.?|del mattino|di mattina|del pomeriggio|di sera|di notte"
    time_to = "a"
    has_letter_times = True
    ordinal_pattern = (
        r"(?P<number>\d{1,3}(?:\.\d{3})?|\d{1,5})\.?"
        r"(?P<suffix>º|ª|°(?![ \u00a0]?[CF])|esimo|esima|mo|ma|[oa](?=[ \u00a0]))(?![^\W_])"
    )
    version = "versione"
    address_point = "punto"
    backslash, tilde, caret = "barra rovesciata", "tilde", "accento circonflesso"
    point_time_words = words("alle ore dalle all' all h le")
    known_labels = {
        "com": "com",
        "gmail": "gmail",
        "nvidia": "nvidia",
        "google": "google",
        "py": "python",
        "html": "html",
        "us": "us",
        "edu": "edu",
        "gov": "gov",
    }
    address_signs = {"/": "slash", "&": "e commerciale", "#": "cancelletto"}
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "capitolo cap tomo volume vol libro parte atto scena sezione articolo art figura fig tabella pagina pag p livello "
        "fase titolo allegato lezione tipo classe "
        "numero stagione episodio edizione unità gruppo canto"
    )
    century_words = words("secolo secoli sec")
    century_before_noun = True
    regnal_names = words(
        "carlo filippo luigi enrico napoleone francesco giorgio guglielmo pietro paolo isabella fernando ferdinando umberto "
        "vittorio emanuele federico alessandro nicola pio benedetto amedeo leone giovanni clemente elisabetta caterina"
    )
    not_names = words("il lo la i gli le un uno una e o in di da del al a con su per che io noi lui lei")
    roman_articles = words("il lo la i gli le al del della nel nella al alla dal dalla sul sulla un una l'")
    openers = words(
        "il lo la i gli le ma poi se che chi questo questa quello quella non dopo e un una in nel nella io noi per con"
    )
    may_end_sentence = words("eccetera Cristo società") | {"avanti Cristo", "dopo Cristo"}
    rates = nouns("""
        mese | mese
        settimana,sett. | settimana | | f
        giorno,gg | giorno
        notte | notte | | f
        ora,h | ora | | f
        anno | anno
        kg,chilo | chilo
        l,L,litro | litro
        m²,m2,mq | metro quadrato
        persona | persona | | f
        kWh | chilowattora
        pezzo,pz | pezzo
    """)
    weekdays = {"lun": "lunedì", "mar": "martedì", "mer": "mercoledì", "gio": "giovedì", "ven": "venerdì", "sab": "sabato",
        "dom": "domenica"}  # fmt: skip
    date_words = words("il dal al del lunedì martedì mercoledì giovedì venerdì sabato domenica")
    out_of = "su"
    weekday_joints = "a|al|e"
    scales = nouns("""
        mila,k | mila
        milione,milioni,mln,m | milione | milioni
        miliardo,miliardi,mld,b | miliardo | miliardi
        bilione,bilioni | bilione | bilioni
    """)
    default_scales = {18: Noun("trilione", "trilioni"), 21: Noun("triliardo", "triliardi")}
    currencies = {
        "EUR": _currency("euro", "euro"), "USD": _currency("dollaro", "dollari"), "US$": _currency("dollaro americano",
        "dollari americani"), "GBP": _currency("sterlina", "sterline", Noun("penny", "penny"), "f"),
        "JPY": _currency("yen", "yen"), "CNY": _currency("yuan", "yuan"), "INR": _currency("rupia", "rupie", None, "f"),
        "KRW": _currency("won", "won", None), "BRL": _currency("real", "real"),
        "CAD": _currency("dollaro canadese", "dollari canadesi"), "AUD": _currency("dollaro australiano",
        "dollari australiani"), "RUB": _currency("rublo", "rubli"), "TRY": _currency("lira turca", "lire turche", None, "f"),
        "BTC": _currency("bitcoin", "bitcoin", None), "CHF": _currency("franco svizzero", "franchi svizzeri"),
        "SEK": _currency("corona", "corone", None, "f"), "NOK": _currency("corona norvegese", "corone norvegesi", None, "f"),
        "DKK": _currency("corona danese", "corone danesi", None, "f"), "PLN": _currency("zloty", "zloty", None),
        "ILS": _currency("shekel", "shekel", None), "ITL": _currency("lira", "lire", None, "f"), "UAH": _currency("grivnia",
        "grivnie", None, "f"),
        "MXN": _currency("peso messicano", "pesos messicani"), "CENT": Currency(_CENT),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "chilo", "c": "centi", "m": "milli", "μ": "micro", "n": "nano", "d": "deci", "h": "etto", "M": "mega",
        "G": "giga", "T": "tera", "P": "peta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B d in min bar CV gr cal q")
    abbreviations = pairs("""
        q.b.,q. b. | quanto basta
        p. es.,p.es.,ad es.,per es. | per esempio
        ecc.,ecc,etc. | eccetera
        sig. | signor
        sig.ra,sig.ra.,sigra | signora
        sig.na | signorina
        sigg. | signori
        dott.,dr. | dottor
        dott.ssa,dr.ssa | dottoressa
        dott.ri | dottori
        prof. | professor
        prof.ssa | professoressa
        proff. | professori
        avv. | avvocato
        ing. | ingegner
        arch. | architetto
        geom. | geometra
        rag. | ragionier
        on. | onorevole
        sen. | senatore
        mons. | monsignor
        gent.mo,egr. | egregio
        gent.ma | gentilissima
        dip. | dipartimento
        a. c.,a.c. | avanti Cristo
        d. c.,d.c. | dopo Cristo
        p.za,p.zza,pza | piazza
        c.so | corso
        v.le | viale
        l.go | largo
        tel. | telefono
        cell. | cellulare
        ca. | circa
        cfr. | confronta
        max. | massimo
        min. | minimo
        s.p.a.,spa | S P A
        s.r.l.,srl | S R L
        s.n.c.,snc | S N C
        co. | compagnia
        f.lli | fratelli
        n.b. | nota bene
        c.a. | corrente anno
        c.m. | corrente mese
        u.s. | ultimo scorso
        vs. | vostro
        ns. | nostro
        sec. | secolo
        sg. | seguente
        segg.,ss. | seguenti
        all. | allegato
        dir. | direttore
        min.ro | ministro
        g.u. | gazzetta ufficiale
        i.e. | cioè
        cod. | codice
        ab. | abitanti
        conf. | confezione
        incl. | inclusa
        cod. fisc. | codice fiscale
        p. iva,p.iva | partita IVA
    """)
    titles = pairs("""
        s. | san
        p. | padre
        fr. | fra
        gen. | generale
        col. | colonnello
        cap. | capitano
    """)
    before_number = pairs("""
        n.,n°,nº,nr.,num.,№ | numero
        nn. | numeri
        pag.,p.,pg. | pagina
        pagg.,pp. | pagine
        art. | articolo
        artt. | articoli
        cap. | capitolo
        fig. | figura
        vol. | volume
        t. | tomo
        ed. | edizione
        tab. | tabella
        rif. | riferimento
        sec. | secolo
        km. | chilometro
        op. | opera
        lett. | lettera
        co. | comma
        int. | interno
        sc. | scala
        bin. | binario
    """)
    letters = {
        **EnglishTables.letters,
        "α": "alfa",
        "θ": "teta",
        "φ": "fi",
        "χ": "chi",
        "μ": "mi",
        "ν": "ni",
        "ξ": "csi",
        "π": "pi greco",
        "γ": "gamma",
        "κ": "cappa",
        "ρ": "ro",
        "λ": "lambda",
        "η": "eta",
        "Α": "alfa",
        "Π": "pi greco",
    }
    acronyms = words(
        "NASA NATO UNESCO UNICEF FIFA UEFA ONU COVID CERN IKEA LEGO FIAT ENEL ENI ISTAT INPS INAIL IVA IRPEF SIAE ANSA RAI "
        "TAR TAC CONI ENEA PIL USL ASL INVALSI "
        "AIDS RADAR LASER SARS OMS CONSOB EURISPES ALITALIA IMU TARI IBAN PIN SIM RAM DOP CAP BOT TAV UIL FIOM ANPI UFO MIUR AGIP"
    ) - words("INPS OMS")
    spelled_words = words("UE USA IA CGIL CISL PD DNA TV ISBN INPS AUSL ADSL SPID OMS IGP BCE FMI") - words(
        "INPS SPID OMS"
    )
    shouted = words(
        "IL LO LA I GLI LE UN UNA E O NON SI NO IO TU MA SE CHE CHI PER CON SU DI DA IN AL È QUI ORA PIU FINE DUE TRE"
    )
    plural_of_initials = ""
