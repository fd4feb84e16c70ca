# ruff: noqa: RUF012 - tables of a class that never change
"""German tables."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

DATIVE = words(
    "am vom zum dem den im beim ab bis seit jeden diesem diesen des nächsten letzten vergangenen kommenden zwischen und zur "
    "einem einen jedem sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend mo di mi do fr sa so"
)
"""In front of a date or an ordinal they make it end in -ten."""
WEAK = words(
    "der die das jede jeder jedes diese dieser dieses eine seine ihre unsere meine keine welche welcher"
)
AFTER_ORDINAL = words(
    "fc jahrhundert jahrhunderts jahrhunderte jahrtausend mal klasse etage stock stockwerk platz tag kapitel auflage geburtstag "
    "weltkrieg "
    "weltkriegs semester quartal halbjahr bundesliga liga armee bezirk woche runde teil akt spieltag satz staffel folge "
    "minute stunde rang preis "
    "ausgabe band lebensjahr schuljahr hochzeitstag jahrestag obergeschoss og symphonie sinfonie internationale "
    "internationalen deutscher ordentliche hauptversammlung"
)
FEMININE = words(
    "bundesliga stunde minute sekunde person frau woche million milliarde tonne seite nacht stadt hand bank kraft stimme "
    "tochter mutter "
    "schwester zeit "
    "kugel tasse flasche dose etage auflage klasse liga runde staffel folge chance sache frage antwort idee reise"
)
NEUTER = words(
    "jahr kind haus buch mal prozent kilo glas stück land tier wort bild auto ei pfund dorf zimmer bett spiel tor kapitel "
    "semester quartal "
    "jahrhundert geschäft unternehmen mitglied mädchen paar ticket zeichen problem beispiel team gramm"
)
FOR_ACCUSATIVE = words("für gegen durch ohne um")
WITH_DATIVE = words("von mit unter bei zu nach aus seit könig kaiser papst gegenüber")
_CENT = Noun("Cent", "Cent")
_UNITS = nouns("""
    ppm | P P M
    m | Meter
    g | Gramm | | n
    t | Tonne | Tonnen | f
    l,L | Liter
    h,Std.,Std,std | Stunde | Stunden | f
    EL,Essl.,Eßl. | Esslöffel
    TL,Teel. | Teelöffel
    Pck.,Pkg. | Päckchen | | n
    Msp. | Messerspitze | Messerspitzen | f
    min,Min.,Min | Minute | Minuten | f
    s,Sek.,Sek,sec | Sekunde | Sekunden | f
    W | Watt
    Wh | Wattstunde | Wattstunden | f
    V | Volt
    A | Ampere
    Hz | Hertz
    B | Byte | Byte
    J | Joule
    cal | Kalorie | Kalorien | f
    Pa | Pascal
    Ω | Ohm
    eV | Elektronenvolt
    bit/s | Bit pro Sekunde
    mol | Mol
    N | Newton
    K | Kelvin
    kmh | Kilometer pro Stunde
    mph | Meile pro Stunde | Meilen pro Stunde | f
    ft | Fuß
    in | Zoll
    mi | Meile | Meilen | f
    lb,lbs | Pfund | | n
    oz | Unze | Unzen | f
    ha | Hektar
    a | Ar
    °C,℃,ºC,° C | Grad Celsius
    °F,℉,ºF,° F | Grad Fahrenheit
    °,º | Grad
    % | Prozent | | n
    ‰ | Promille | | n
    dB | Dezibel
    PS | PS
    bar | Bar
    mAh | Milliamperestunde | Milliamperestunden | f
    Nm | Newtonmeter
    MP | Megapixel
    px | Pixel
    Pf | Pfennig
    Stk.,Stk,St. | Stück
    Pkt. | Punkt | Punkte
    Mbit | Megabit
    Bit | Bit
    Byte | Byte
    rpm,U/min | Umdrehung pro Minute | Umdrehungen pro Minute | f
    d | Tag | Tage
""")


class GermanTables(Tables):
    """What German calls things."""

    code = "de"
    groups = ".\u00a0 '"
    phrases = Phrases(
        to="bis", and_="und", minus="minus", plus="plus", point="Punkt", comma="Komma", percent="Prozent",
            permille="Promille", per="pro",
        degrees=Noun("Grad", "Grad"), by="mal", number="Nummer", at="at", slash="Schrägstrich", colon="Doppelpunkt",
            dash="Bindestrich",
        underscore="Unterstrich", hash="Hashtag", equals="gleich", not_equal="ungleich", times="mal",
            divided="geteilt durch", less="kleiner als",
        greater="größer als", less_equal="kleiner oder gleich", greater_equal="größer oder gleich", about="ungefähr",
            plus_minus="plus minus",
        root="Wurzel aus", infinity="unendlich", squared="hoch zwei", cubed="hoch drei", power="hoch", over="durch",
            section="Paragraf",
        sections="Paragrafen", question="Fragezeichen", exclamation="Ausrufezeichen", ampersand="und", star="Stern",
            extension="Durchwahl",
        dollar="Dollar", euro="Euro", pound="Pfund", yen="Yen", arcminute=Noun("Minute", "Minuten", "f"), foot=Noun("Fuß",
            "Fuß"), inch=Noun("Zoll", "Zoll"),
    )  # fmt: skip
    months = (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
    )  # fmt: skip
    month_abbreviations = {
        "jan": 1, "jän": 1, "jänner": 1, "feb": 2, "mär": 3, "mrz": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
        "sept": 9, "okt": 10, "nov": 11, "dez": 12,
    }  # fmt: skip
    day_mark = r"\.?"
    short_date_marks = "/.-"
    keeps_date_point = True
    decade_pattern = (
        r"(1[0-9]\d0|20\d0)er(?:[ -]?(?=Jahre))?(?![^\W_])|'?([1-9]0)er(?:[ -]?(?=Jahre))?(?![^\W_])"
    )
    time_suffixes = r"Uhr(?:[ \u00a0](?:est|cet|mez|mesz|utc|gmt)(?![^\W_]))?|h"
    time_to = "bis"
    has_letter_times = True
    ordinal_pattern = (
        r"(?P<number>\d{1,4})\.(?=[ \u00a0](?:[(]?[^\W\d_]))|"
        r"(?P<suffixed>\d{1,4})(?P<suffix>(?:te|ste)[nrsm]?)(?![^\W_])"
    )
    score_words = words("gewann verlor gewonnen verloren siegte mit stand")
    slash_words = words("mai")
    version = "Version"
    address_point = "Punkt"
    backslash, tilde, caret = "Backslash", "Tilde", "Zirkumflex"
    known_labels = {"gmail": "g mail", "com": "com", "de": "de", "org": "org", "net": "net"}
    address_signs = {"/": "slash", "=": "gleichheitszeichen"}
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "kapitel kap band bd teil akt szene abschnitt artikel art abbildung abb tabelle tab seite s stufe phase klasse nummer "
        "nr buch anhang satz typ apollo"
    )
    century_words = words("jahrhundert weltkrieg weltkriegs weltkrieges jahrhunderts")
    roman_suffix = (
        r"\.(?=[ \u00a0](?:Weltkrieg|Jahrhundert|Akt|Kapitel|Teil|Band|Klasse|Reich|Quartal|Internationale))"
    )
    regnal_names = words(
        "karl wilhelm friedrich otto heinrich georg franz maria ludwig leopold elisabeth napoleon peter katharina alexander "
        "nikolaus johannes paul pius joseph ferdinand philipp rudolf konrad zar papst"
    )
    not_names = words("der die das und oder in im am mit von zu den dem des ein eine ich er sie es wir")
    roman_takes_point = True
    openers = words(
        "der die das er sie es wir ich ihr ein eine einer aber und dann doch im am wenn was wie wer warum nun danach dort "
        "auch nach seit mit bei so heute jetzt"
    )
    may_end_sentence = words("und Straße Jahrhundert Christus Million Milliarde Euro weiter") | {
        "und so weiter",
        "vor Christus",
        "nach Christus",
        "und Ähnliches",
    }
    point_time_words = words("um gegen ab bis")
    word_endings = {"str.": "straße"}
    rates = nouns("""
        Monat,Mon.,Mt. | Monat
        Woche | Woche | | f
        Tag,Nacht | Tag
        Stunde,Std.,h | Stunde | | f
        Jahr,J. | Jahr
        kg | Kilogramm
        l,L | Liter
        m²,m2,qm | Quadratmeter
        Person | Person
        Stück,St. | Stück
        kWh | Kilowattstunde
    """)
    weekdays = {"mo": "Montag", "di": "Dienstag", "mi": "Mittwoch", "do": "Donnerstag", "fr": "Freitag", "sa": "Samstag",
        "so": "Sonntag"}  # fmt: skip
    date_words = words("am vom zum bis ab montag dienstag mittwoch donnerstag freitag samstag sonntag")
    out_of = "von"
    weekday_joints = "bis|und"
    scales = nouns("""
        tausend,tsd.,tsd,k | tausend
        million,millionen,mio.,mio,m | Million | Millionen | f
        milliarde,milliarden,mrd.,mrd,b,bn | Milliarde | Milliarden | f
        billion,billionen,bio. | Billion | Billionen | f
        billiarde,billiarden | Billiarde | Billiarden | f
    """)
    default_scales = {18: Noun("Trillion", "Trillionen", "f"), 21: Noun("Trilliarde", "Trilliarden", "f")}
    currencies = {
        "USD": Currency(Noun("Dollar", "Dollar"), _CENT), "US$": Currency(Noun("US-Dollar", "US-Dollar"), _CENT),
        "EUR": Currency(Noun("Euro", "Euro"), _CENT),
        "GBP": Currency(Noun("Pfund", "Pfund", "n"), Noun("Penny", "Pence")), "JPY": Currency(Noun("Yen", "Yen")),
        "CNY": Currency(Noun("Yuan", "Yuan")),
        "INR": Currency(Noun("Rupie", "Rupien", "f")), "KRW": Currency(Noun("Won", "Won")), "BRL": Currency(Noun("Real",
        "Reais")),
        "CAD": Currency(Noun("kanadischer Dollar", "kanadische Dollar"), _CENT), "AUD": Currency(Noun("australischer Dollar",
        "australische Dollar"), _CENT),
        "RUB": Currency(Noun("Rubel", "Rubel"), Noun("Kopeke", "Kopeken", "f")), "TRY": Currency(Noun("Lira", "Lira", "f")),
        "BTC": Currency(Noun("Bitcoin", "Bitcoin")),
        "CHF": Currency(Noun("Franken", "Franken"), Noun("Rappen", "Rappen")), "SEK": Currency(Noun("schwedische Krone",
        "schwedische Kronen", "f")),
        "NOK": Currency(Noun("norwegische Krone", "norwegische Kronen", "f")), "DKK": Currency(Noun("dänische Krone",
        "dänische Kronen", "f")),
        "PLN": Currency(Noun("Złoty", "Złoty"), Noun("Groschen", "Groschen")), "CZK": Currency(Noun("Krone", "Kronen", "f")),
        "ILS": Currency(Noun("Schekel", "Schekel")),
        "UAH": Currency(Noun("Hrywnja", "Hrywnja", "f")), "HUF": Currency(Noun("Forint", "Forint")),
        "MXN": Currency(Noun("mexikanischer Peso", "mexikanische Peso")),
        "DEM": Currency(Noun("D-Mark", "D-Mark", "f"), Noun("Pfennig", "Pfennig")), "CENT": Currency(_CENT),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "Kilo", "c": "Zenti", "m": "Milli", "μ": "Mikro", "n": "Nano", "d": "Dezi", "h": "Hekto", "M": "Mega",
        "G": "Giga", "T": "Tera", "P": "Peta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B in min bar a d PS Bit Byte MP") | {"St."}
    abbreviations = pairs("""
        z. b.,z.b.,zb. | zum Beispiel
        d. h.,d.h. | das heißt
        u. a.,u.a. | unter anderem
        u. ä.,u.ä. | und Ähnliches
        o. ä.,o.ä. | oder Ähnliches
        usw. | und so weiter
        usf. | und so fort
        u. s. w. | und so weiter
        etc. | et cetera
        bzw. | beziehungsweise
        bspw. | beispielsweise
        ca. | circa
        vgl. | vergleiche
        ggf. | gegebenenfalls
        evtl. | eventuell
        inkl. | inklusive
        exkl. | exklusive
        geschl. | geschlossen
        geöffn. | geöffnet
        tägl. | täglich
        wöchentl. | wöchentlich
        jährl. | jährlich
        voraussichtl. | voraussichtlich
        p. a.,p.a. | pro Jahr
        i. v.,i.v. | in Vertretung
        zzgl. | zuzüglich
        abzgl. | abzüglich
        sog. | sogenannte
        i. d. r.,i.d.r. | in der Regel
        i. a.,i.a. | im Allgemeinen
        s. o.,s.o. | siehe oben
        s. s.,s.s. | siehe Seite
        s. abb. | siehe Abbildung
        s. kap. | siehe Kapitel
        s. anm. | siehe Anmerkung
        s. abschn. | siehe Abschnitt
        s. tab. | siehe Tabelle
        s. u.,s.u. | siehe unten
        z. t.,z.t. | zum Teil
        z. zt.,z.zt.,z. z. | zurzeit
        z. hd.,z.hd. | zu Händen
        tgl. | täglich
        einw. | Einwohner
        mtl. | monatlich
        mwst.,mwst | Mehrwertsteuer
        best.-nr.,bestellnr. | Bestellnummer
        tel.-nr.,telefonnr. | Telefonnummer
        art.-nr.,artikelnr. | Artikelnummer
        pers. | Personen
        verl. | verlängert
        m. e.,m.e. | meines Erachtens
        u. u.,u.u. | unter Umständen
        v. a.,v.a. | vor allem
        o. g.,o.g. | oben genannt
        v. chr.,v.chr. | vor Christus
        n. chr.,n.chr. | nach Christus
        geb. | geboren
        gest. | gestorben
        jh.,jhd.,jhdt. | Jahrhundert
        tel. | Telefon
        max. | maximal
        min. | mindestens
        mind. | mindestens
        std. | Stunden
        str. | Straße
        pl. | Platz
        hbf. | Hauptbahnhof
        hbf | Hauptbahnhof
        dt. | deutsch
        engl. | englisch
        hrsg. | Herausgeber
        mfg | mit freundlichen Grüßen
        gmbh | G M B H
        e. v.,e.v. | E V
        dipl.-ing. | Diplomingenieur
        ing. | Ingenieur
        prof. | Professor
        dr. | Doktor
        dres. | Doktores
        mag. | Magister
        lt. | laut
        mio. | Millionen
        mrd. | Milliarden
        tsd. | tausend
        allg. | allgemein
        insb.,insbes. | insbesondere
        ehem. | ehemals
        ff. | folgende
        abs. | Absatz
    """)
    titles = pairs("""
        hr. | Herr
        hrn. | Herrn
        fr. | Frau
        frl. | Fräulein
        st. | Sankt
        sr. | Seine
    """)
    before_number = pairs("""
        nr.,nr,no. | Nummer
        nrn. | Nummern
        s. | Seite
        abb. | Abbildung
        tab. | Tabelle
        kap. | Kapitel
        bd. | Band
        art. | Artikel
        abschn. | Abschnitt
        aufl. | Auflage
        anm. | Anmerkung
        abs. | Absatz
        ziff. | Ziffer
        hausnr. | Hausnummer
        op. | Opus
        v. | Vers
        bl. | Blatt
        gl. | Gleis
        tel. | Telefon
        ca. | circa
    """)
    letters = {
        **EnglishTables.letters,
        "φ": "phi",
        "κ": "kappa",
        "μ": "mü",
        "ν": "nü",
        "υ": "ypsilon",
        "β": "beta",
        "Μ": "mü",
        "Ν": "nü",
        "Υ": "ypsilon",
    }
    acronyms = words(
        "NASA NATO UNESCO UNICEF OPEC AIDS FIFA UEFA ASEAN RAM PIN SIM COVID SARS CERN ESA IKEA LEGO ADAC JSON BIOS RADAR "
        "LASER TÜV SAP INFO BAFÖG UNO KITA AZUBI MINT OSZE GEMA SCHUFA HARTZ DAX MOMA UFO DIN NABU DEKRA EDEKA OBI HARIBO "
        "MAUT ELSTER"
    ) - words("ADAC SAP OSZE HARTZ")
    spelled_words = words("ADAC USA EU ARD AOK IBAN OECD AEG EZB IHK ICE IC OB AG UEFI EDV IT KI ISBN")
    spelled_words = spelled_words - words("IBAN")
    shouted = words(
        "DER DIE DAS UND ICH DU ER SIE ES WIR IHR EIN NEIN JA IST BIN NUR NIE ALT NEU GUT AUS AUF MIT VON ZU IM AM AN IN SO "
        "WO WER WAS WIE NOT ROT TOT ALLE HALT"
    )
    plural_of_initials = " s"
