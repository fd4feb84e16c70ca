# ruff: noqa: RUF012 - tables of a class that never change
"""Dutch tables."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

FEMININE_NAMES = words("elizabeth elisabeth maria catharina victoria margaretha koningin")
_CENT = Noun("cent", "cent")
_UNITS = nouns("""
    ppm | P P M
    m | meter
    g,gr | gram
    kg,Kg | kilo
    t | ton
    l,L | liter
    h | uur
    u,u. | uur
    min,min. | minuut | minuten
    s,sec,sec. | seconde | seconden
    d | dag | dagen
    W | watt
    Wh | wattuur
    V | volt
    A | ampère
    Hz | hertz
    B | byte
    J | joule
    cal | calorie | calorieën
    Pa | pascal
    Ω | ohm
    eV | elektronvolt
    bit/s | bit per seconde
    mol | mol
    N | newton
    K | kelvin
    mph | mijl per uur
    kmh,km/u | kilometer per uur
    ft | voet
    in | inch
    mi | mijl
    lb,lbs | pond
    oz | ounce
    ha | hectare
    °C,℃,ºC,° C,º C | graad Celsius | graden Celsius
    °F,℉,ºF,° F | graad Fahrenheit | graden Fahrenheit
    °,º | graad | graden
    % | procent
    ‰ | promille
    dB | decibel
    pk | paardenkracht
    bar | bar
    mAh | milliampère-uur
    Nm | newtonmeter
    px | pixel | pixels
    MP | megapixel
    st,st. | stuk | stuks
    blz. | bladzijde | bladzijden
    rpm,tpm | toer per minuut | toeren per minuut
    Mbit | megabit
    el | eetlepel | eetlepels
    tl | theelepel | theelepels
""")


def _currency(one: str, many: str = "", cent: Noun | None = _CENT) -> Currency:
    return Currency(Noun(one, many or one), cent)


class DutchTables(Tables):
    """What Dutch calls things."""

    code = "nl"
    groups = ".\u00a0 '"
    phrases = Phrases(
        to="tot", and_="en", minus="min", plus="plus", point="punt", comma="komma", percent="procent", permille="promille",
            per="per",
        degrees=Noun("graad", "graden"), by="bij", number="nummer", at="apenstaartje", slash="slash", colon="dubbele punt",
            dash="streepje",
        underscore="underscore", hash="hashtag", equals="is gelijk aan", not_equal="is niet gelijk aan", times="keer",
            divided="gedeeld door",
        less="is kleiner dan", greater="is groter dan", less_equal="is kleiner dan of gelijk aan",
            greater_equal="is groter dan of gelijk aan",
        about="ongeveer", plus_minus="plus of min", root="de wortel uit", infinity="oneindig", squared="in het kwadraat",
            cubed="tot de derde",
        power="tot de macht", over="gedeeld door", section="paragraaf", sections="paragrafen", question="vraagteken",
            exclamation="uitroepteken",
        ampersand="en", star="sterretje", extension="toestel", dollar="dollar", euro="euro", pound="pond", yen="yen",
        arcminute=Noun("minuut", "minuten"), foot=Noun("voet", "voet"), inch=Noun("inch", "inch"),
    )  # fmt: skip
    months = (
        "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
        "december",
    )  # fmt: skip
    month_abbreviations = {
        "jan": 1, "feb": 2, "febr": 2, "mrt": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "okt": 10,
        "nov": 11, "dec": 12,
    }  # fmt: skip
    day_mark = "(?:e|ste|de)?"
    short_date_marks = "/.-"
    decade_pattern = r"(?<=jaren )'?([1-9]0)(?![^\W_])|(?<=Jaren )'?([1-9]0)(?![^\W_])"
    time_suffixes = r"uur|u\.?|h|utc|gmt|cet|[ap]\.?m\.?"
    time_to = "tot"
    hour_letters = "hHuU"
    ordinal_pattern = r"(?P<number>\d{1,3}(?:\.\d{3})?|\d{1,5})(?P<suffix>e|ste|de)(?![^\W_])"
    version = "versie"
    address_point = "punt"
    backslash, tilde, caret = "backslash", "tilde", "dakje"
    point_time_words = words("om tot vanaf rond tegen van")
    known_labels = {"com": "com", "nl": "N L", "be": "B E", "gmail": "gmail", "google": "google"}
    address_signs = {"&": "en-teken", "#": "hekje"}
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "hoofdstuk hfst deel band akte scène sectie artikel art figuur fig afbeelding afb tabel tab bladzijde blz pagina p "
        "niveau fase titel bijlage les type "
        "klasse nummer nr seizoen aflevering boek groep perron spoor"
    )
    century_words = words("eeuw eeuws eeuwse wereldoorlog")
    century_before_noun = True
    roman_suffix = r"(?:e|de|ste)(?![^\W_])"
    regnal_names = words(
        "willem karel lodewijk hendrik filips napoleon frederik george maria leopold boudewijn albert peter catharina "
        "alexander nicolaas johannes paulus pius benedictus frans elizabeth elisabeth jan philips"
    )
    not_names = words("de het een en of in op van met voor aan bij ik wij hij zij ze je er dat die")
    openers = words(
        "de het een hij zij ze maar toen als wat wie dit dat ik wij er daarna en in op we je nu dus ook na voor"
    )
    may_end_sentence = words("enzovoort Christus straat euro uur") | {
        "voor Christus",
        "na Christus",
        "enzovoorts",
        "alstublieft",
    }
    word_endings = {"str.": "straat"}
    rates = nouns("""
        maand,mnd,mnd. | maand
        week,wk | week
        dag | dag
        nacht | nacht
        uur,u,h | uur
        jaar,jr,jr. | jaar
        kg,kilo | kilo
        l,L,liter | liter
        m²,m2 | vierkante meter
        persoon,p.p. | persoon
        kWh | kilowattuur
        stuk,st,st. | stuk
    """)
    weekdays = {"ma": "maandag", "di": "dinsdag", "wo": "woensdag", "do": "donderdag", "vr": "vrijdag", "za": "zaterdag",
        "zo": "zondag"}  # fmt: skip
    date_words = words("op tot vanaf maandag dinsdag woensdag donderdag vrijdag zaterdag zondag")
    dash_date_words = words("op maandag dinsdag woensdag donderdag vrijdag zaterdag zondag")
    out_of = "van"
    weekday_joints = "tot|t/m|en"
    scales = nouns("""
        duizend,k | duizend
        miljoen,mln,mln.,mio,m | miljoen
        miljard,mld,mld.,mrd,b | miljard
        biljoen,bln | biljoen
        biljard | biljard
    """)
    default_scales = {18: Noun("triljoen", "triljoen"), 21: Noun("triljard", "triljard")}
    currencies = {
        "EUR": _currency("euro"), "USD": _currency("dollar"), "US$": _currency("Amerikaanse dollar"),
        "GBP": _currency("pond", "", Noun("penny", "pence")), "JPY": _currency("yen", "", None),
        "CNY": _currency("yuan", "", None), "INR": _currency("roepie", "", None), "KRW": _currency("won", "", None),
        "BRL": _currency("real", "", None), "CAD": _currency("Canadese dollar"),
        "AUD": _currency("Australische dollar"), "RUB": _currency("roebel", "", None), "TRY": _currency("lira", "", None),
        "BTC": _currency("bitcoin", "bitcoins", None),
        "CHF": _currency("Zwitserse frank", "", Noun("rappen", "rappen")), "SEK": _currency("Zweedse kroon",
        "Zweedse kronen", None), "NOK": _currency("Noorse kroon", "Noorse kronen", None),
        "DKK": _currency("Deense kroon", "Deense kronen", None), "PLN": _currency("zloty", "", None),
        "CZK": _currency("kroon", "kronen", None), "ILS": _currency("sjekel", "", None), "UAH": _currency("hryvnia", "", None),
        "MXN": _currency("Mexicaanse peso", "", None), "CENT": Currency(_CENT),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "kilo", "c": "centi", "m": "milli", "μ": "micro", "n": "nano", "d": "deci", "h": "hecto", "M": "mega",
        "G": "giga", "T": "tera", "P": "peta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B d in min bar pk gr cal u st el tl MP") | {"u.", "st."}
    abbreviations = pairs("""
        d.w.z.,d. w. z.,dwz | dat wil zeggen
        bijv.,bv.,b.v.,bijv | bijvoorbeeld
        enz.,enz | enzovoort
        e.d. | en dergelijke
        etc. | et cetera
        o.a.,o. a. | onder andere
        m.a.w. | met andere woorden
        m.b.t. | met betrekking tot
        m.b.v. | met behulp van
        t.o.v. | ten opzichte van
        t.a.v. | ten aanzien van
        t.g.v. | ten gevolge van
        t.b.v. | ten behoeve van
        t.z.t. | te zijner tijd
        t/m,t.e.m. | tot en met
        i.p.v. | in plaats van
        i.v.m. | in verband met
        i.t.t. | in tegenstelling tot
        i.h.b. | in het bijzonder
        i.h.a. | in het algemeen
        i.o. | in opdracht
        n.a.v. | naar aanleiding van
        o.i.d. | of iets dergelijks
        o.l.v. | onder leiding van
        d.m.v. | door middel van
        z.s.m. | zo spoedig mogelijk
        a.u.b.,aub | alstublieft
        s.v.p.,svp | alsjeblieft
        m.u.v. | met uitzondering van
        m.i.v. | met ingang van
        m.i. | mijns inziens
        n.v.t. | niet van toepassing
        p.p. | per persoon
        p.st. | per stuk
        art.nr.,artikelnr. | artikelnummer
        tel.nr. | telefoonnummer
        e.v. | en volgende
        inw. | inwoners
        p.s. | P S
        v. chr.,v.chr. | voor Christus
        n. chr.,n.chr. | na Christus
        jl. | jongstleden
        a.s. | aanstaande
        ca. | circa
        evt. | eventueel
        incl. | inclusief
        excl. | exclusief
        resp. | respectievelijk
        vgl. | vergelijk
        zgn.,z.g. | zogenaamd
        tel. | telefoon
        max. | maximaal
        min. | minimaal
        gem. | gemiddeld
        ong. | ongeveer
        dhr.,hr. | de heer
        mevr.,mw. | mevrouw
        mej. | mejuffrouw
        dr. | dokter
        prof. | professor
        drs. | doctorandus
        ir. | ingenieur
        ing. | ingenieur
        mr. | meester
        ds. | dominee
        fam. | familie
        afd. | afdeling
        red. | redactie
        nl. | namelijk
        geb. | geboren
        overl. | overleden
        vnl. | voornamelijk
        str. | straat
        pl. | plein
        bovenst. | bovenstaand
        aant. | aantal
        p/m | per maand
        n.v. | N V
        cs.,c.s. | cum suis
        vs. | versus
        w.o. | waaronder
        zn. | zoon
        jr. | junior
        sr. | senior
        a.h.w. | als het ware
        b.g.g. | bij geen gehoor
        o.v.v. | onder vermelding van
    """)
    titles = pairs("""
        st. | Sint
        h. | Heilige
        kon. | koningin
        gen. | generaal
        kol. | kolonel
        past. | pastoor
        min. | minister
        burg. | burgemeester
    """)
    before_number = pairs("""
        nr.,nr,no. | nummer
        nrs. | nummers
        blz.,p.,pag. | bladzijde
        art. | artikel
        hfst.,hst. | hoofdstuk
        fig. | figuur
        afb. | afbeelding
        tab. | tabel
        dl. | deel
        vol. | volume
        lid. | lid
        par. | paragraaf
        op. | opus
        jg. | jaargang
        anno. | anno
    """)
    letters = {
        **EnglishTables.letters,
        "α": "alfa",
        "β": "bèta",
        "ζ": "zèta",
        "η": "èta",
        "θ": "thèta",
        "μ": "mu",
        "Α": "alfa",
        "Β": "bèta",
        "Θ": "thèta",
    }
    acronyms = words(
        "NASA NAVO NATO UNESCO UNICEF FIFA UEFA COVID CERN IKEA LEGO VARA AVRO HEMA OPEC AIDS RADAR LASER SARS CITO MAVO HAVO "
        "PABO VUT WAO AOW VAR CAO SER TROS "
        "GAMMA UWV RIVM BOVAG ANWB CDA VVD NOS PIN SIM RAM OPTA WIFI NIBUD BREXIT UNO RAI BOM DAF INHOLLAND CAR CITES BLOSO "
        "AVROTROS HAVO SOA"
    ) - words("AOW VAR UWV RIVM ANWB CDA VVD NOS CAO SER CAR WAO")
    spelled_words = words(
        "VS EU NS AI AOW CAO VN UMC ABN KLM NOS EO KRO NPO IBAN ADHD USA UK TV IT VAR WIA OV AZ PSV ISBN WAO UWV"
    ) - words("IBAN")
    shouted = words(
        "DE HET EEN EN OF NIET JA NEE IK JIJ HIJ ZIJ WIJ IS IN OP AAN UIT VAN MET BIJ TOT NU OOK MAAR DAN ALS WAT WIE HOE DIT "
        "DAT ALLES EET"
    )
    plural_of_initials = "'s"
