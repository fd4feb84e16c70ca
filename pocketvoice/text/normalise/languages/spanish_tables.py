# ruff: noqa: RUF012 - tables of a class that never change
"""Spanish tables."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

MASCULINE = words(
    "dálmatas día días mapa mapas problema problemas tema temas sistema sistemas programa programas idioma idiomas clima "
    "poema planeta "
    "planetas cometa "
    "poeta atleta atletas turista turistas policía artista artistas dólares kilómetros euros años meses tema drama dramas "
    "esquema esquemas síntoma síntomas"
)
FEMININE = words(
    "veces vez mano manos foto fotos moto motos noche noches mujer mujeres clase clases parte partes llave llaves calle "
    "calles gente serie series base bases tarde tardes imagen imágenes flor flores red redes ley leyes voz luz luces cárcel "
    "sal piel señal señales sede sedes nube nubes torre torres"
)
FEMININE_NAMES = words(
    "isabel juana maría catalina cristina sofía victoria margarita ana leonor urraca berenguela reina"
)
_CENTAVO, _CENTIMO = Noun("centavo", "centavos"), Noun("céntimo", "céntimos")
_UNITS = nouns("""
    ppm | parte por millón | partes por millón
    m | metro | metros
    cda,cda.,cdas,cdas. | cucharada | cucharadas | f
    cdta,cdta.,cdtas,cdtas.,cdita,cdita. | cucharadita | cucharaditas | f
    km | kilómetro | kilómetros
    cm | centímetro | centímetros
    mm | milímetro | milímetros
    dm | decímetro | decímetros
    μm | micrómetro | micrómetros
    nm | nanómetro | nanómetros
    g,gr | gramo | gramos
    kg,Kg | kilogramo | kilogramos
    t | tonelada | toneladas | f
    l,L | litro | litros
    h,hs,hrs | hora | horas | f
    min | minuto | minutos
    s,seg | segundo | segundos
    d | día | días
    W | vatio | vatios
    Wh | vatio hora | vatios hora
    V | voltio | voltios
    A | amperio | amperios
    Hz | hercio | hercios
    B | byte | bytes
    J | julio | julios
    cal | caloría | calorías | f
    Pa | pascal | pascales
    Ω | ohmio | ohmios
    eV | electronvoltio | electronvoltios
    bit/s | bit por segundo | bits por segundo
    mol | mol | moles
    N | newton | newtons
    K | kelvin | kelvins
    mph | milla por hora | millas por hora | f
    kmh | kilómetro por hora | kilómetros por hora
    ft | pie | pies
    in | pulgada | pulgadas | f
    mi | milla | millas | f
    lb,lbs | libra | libras | f
    oz | onza | onzas | f
    ha | hectárea | hectáreas | f
    °C,℃,ºC,° C,º C,° c,°c | grado Celsius | grados Celsius
    °F,℉,ºF,° F | grado Fahrenheit | grados Fahrenheit
    %,por ciento | por ciento | | n
    ‰ | por mil | | n
    dB | decibelio | decibelios
    CV | caballo | caballos
    bar | bar | bares
    mAh | miliamperio hora | miliamperios hora
    Nm | newton metro | newton metros
    px | píxel | píxeles
    rpm | revolución por minuto | revoluciones por minuto | f
    ud.,uds. | unidad | unidades | f
""")


def _currency(one: str, many: str, cent: Noun | None = _CENTAVO, gender: str = "m") -> Currency:
    return Currency(Noun(one, many, gender), cent)


class SpanishTables(Tables):
    """What Spanish calls things."""

    code = "es"
    groups = ". \u00a0'"
    phrases = Phrases(
        to="a", and_="y", minus="menos", plus="más", point="punto", comma="coma", percent="por ciento", permille="por mil",
            per="por",
        degrees=Noun("grado", "grados"), by="por", number="número", at="arroba", slash="barra", colon="dos puntos", dash="guion",
        underscore="guion bajo", hash="almohadilla", equals="igual a", not_equal="distinto de", times="por", divided="entre",
            less="menor que",
        greater="mayor que", less_equal="menor o igual que", greater_equal="mayor o igual que", about="aproximadamente",
            plus_minus="más menos",
        root="raíz cuadrada de", infinity="infinito", squared="al cuadrado", cubed="al cubo", power="elevado a",
            over="sobre", section="párrafo",
        sections="párrafos", question="signo de interrogación", exclamation="signo de exclamación", ampersand="y",
            star="asterisco",
        extension="extensión", dollar="dólar", euro="euro", pound="libra", yen="yen", arcminute=Noun("minuto", "minutos"),
            foot=Noun("pie", "pies"), inch=Noun("pulgada", "pulgadas", "f"),
    )  # fmt: skip
    months = (
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
        "diciembre",
    )  # fmt: skip
    month_abbreviations = {
        "ene": 1, "feb": 2, "mar": 3, "abr": 4, "may": 5, "jun": 6, "jul": 7, "ago": 8, "sep": 9, "sept": 9, "set": 9,
        "setiembre": 9, "oct": 10, "nov": 11, "dic": 12,
    }  # fmt: skip
    month_comes_first = True
    date_of = "del?"
    day_mark = "(?:º|\\.º|°|ro)?"
    short_date_marks = "/.-"
    decade_pattern = r"(?<=años )'?(\d0)s?(?![^\W_])|(?<=los )'(\d0)s?(?![^\W_])|(?<=los )(\d0)s(?![^\W_])"
    time_suffixes = (
        r"(?:[ap]\.?[ \u00a0]?m\.?)(?:[ \u00a0](?:gmt|utc)(?:[ \u00a0]?[+-]\d{1,2}(?::\d\d)?)?)?|"
        r"h|hs|hrs|horas|est|pst|cet|(?:gmt|utc)(?:[ \u00a0]?[+-]\d{1,2}(?::\d\d)?)?"
    )
    time_to = "a"
    ordinal_pattern = (
        r"(?P<number>\d{1,3}(?:[ .]\d{3}){1,2}|\d{1,6})\.?"
        r"(?P<suffix>º|ª|°(?![ \u00a0]?[CF])|er|ero|ro|ra|era|do|da|to|ta|mo|ma|vo|va|no|na|os|as)(?![^\W_])"
    )
    version = "versión"
    address_point = "punto"
    backslash, tilde, caret = "barra invertida", "virgulilla", "acento circunflejo"
    point_time_words = words("las la hora horas")
    known_labels = {
        "com": "com",
        "gmail": "gmail",
        "nvidia": "nvidia",
        "google": "google",
        "hotmail": "hotmail",
        "yahoo": "yahoo",
    }
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "capítulo cap tomo volumen vol libro parte acto escena sección artículo art figura fig tabla página pág p nivel fase "
        "título anexo lección tipo clase "
        "número mundial temporada episodio edición unidad tema grupo"
    )
    century_words = words("siglo siglos s")
    roman_articles = words("el la los las del al un una su")
    regnal_names = words(
        "carlos felipe alfonso juan luis enrique napoleón francisco jorge guillermo pedro pablo isabel fernando jaime sancho "
        "alejandro nicolás pío benedicto federico catalina amadeo león"
    )
    not_names = words("el la los las un una y o en de del al él ella yo se por para con sobre")
    openers = words(
        "el la los las él ella pero y luego este esta no después en si que cuando un una yo nosotros ellos"
    )
    may_end_sentence = words("etcétera Cristo compañía") | {
        "antes de Cristo",
        "después de Cristo",
        "Estados Unidos",
    }
    lone_signs = {"#": "almohadilla", "№": "número"}
    rates = nouns("""
        mes | mes
        semana | semana | | f
        día | día
        noche | noche | | f
        hora,h | hora | | f
        año | año
        kg,kilo | kilo
        l,L,litro | litro
        m²,m2 | metro cuadrado
        persona,pers. | persona | | f
        kWh | kilovatio hora
        unidad,ud. | unidad | | f
        barril | barril
    """)
    weekdays = {"lun": "lunes", "mar": "martes", "mié": "miércoles", "miér": "miércoles", "jue": "jueves", "vie": "viernes",
        "vier": "viernes", "sáb": "sábado", "dom": "domingo"}  # fmt: skip
    date_words = words("el del al día lunes martes miércoles jueves viernes sábado domingo")
    out_of = "sobre"
    weekday_joints = "a|al|y"
    scales = nouns("""
        mil,k | mil
        millón,millon,millones,mill.,mm,m | millón | millones
        millardo,millardos | millardo | millardos
        billón,billon,billones | billón | billones
        trillón,trillones | trillón | trillones
    """)
    default_scales = {18: Noun("trillón", "trillones")}
    currencies = {
        "USD": _currency("dólar", "dólares"), "US$": _currency("dólar estadounidense", "dólares estadounidenses"),
        "EUR": _currency("euro", "euros", _CENTIMO),
        "GBP": _currency("libra", "libras", Noun("penique", "peniques"), "f"), "JPY": _currency("yen", "yenes"),
        "CNY": _currency("yuan", "yuanes"),
        "INR": _currency("rupia", "rupias", _CENTAVO, "f"), "KRW": _currency("won", "wones"), "BRL": _currency("real",
        "reales"), "CAD": _currency("dólar canadiense", "dólares canadienses"),
        "AUD": _currency("dólar australiano", "dólares australianos"), "HKD": _currency("dólar de Hong Kong",
        "dólares de Hong Kong"), "RUB": _currency("rublo", "rublos"),
        "TRY": _currency("lira", "liras", None, "f"), "BTC": _currency("bitcoin", "bitcoines", None),
        "CHF": _currency("franco suizo", "francos suizos", _CENTIMO), "FRF": _currency("franco", "francos", _CENTIMO),
        "SEK": _currency("corona", "coronas", None, "f"), "NOK": _currency("corona noruega", "coronas noruegas", None, "f"),
        "DKK": _currency("corona danesa", "coronas danesas", None, "f"),
        "PLN": _currency("zloty", "zlotys", None), "ILS": _currency("séquel", "séqueles", None),
        "MXN": _currency("peso mexicano", "pesos mexicanos"), "ARS": _currency("peso argentino", "pesos argentinos"),
        "CLP": _currency("peso chileno", "pesos chilenos"), "COP": _currency("peso colombiano", "pesos colombianos"),
        "PEN": _currency("sol", "soles", _CENTIMO), "ESP": _currency("peseta", "pesetas", _CENTIMO, "f"),
        "NIO": _currency("córdoba", "córdobas"), "PAB": _currency("balboa", "balboas"), "CRC0": _currency("colón", "colones",
        _CENTIMO), "CRC": _currency("colón costarricense", "colones costarricenses", _CENTIMO),
        "TTD": _currency("dólar de Trinidad y Tobago", "dólares de Trinidad y Tobago"), "MARK": _currency("marco", "marcos"),
        "GTQ": _currency("quetzal", "quetzales"), "AWG": _currency("florín arubeño", "florines arubeños"),
        "UAH": _currency("grivna", "grivnas", None, "f"), "CENT": Currency(_CENTIMO),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "kilo", "c": "centi", "m": "mili", "μ": "micro", "n": "nano", "d": "deci", "h": "hecto", "M": "mega",
        "G": "giga", "T": "tera", "P": "peta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B d in min bar CV gr cal hs")
    abbreviations = pairs("""
        p. ej.,p.ej.,p. e. | por ejemplo
        etc.,etc | etcétera
        ee. uu.,ee.uu.,eeuu,ee uu | Estados Unidos
        sr. | señor
        sra. | señora
        sres. | señores
        srta. | señorita
        dr. | doctor
        dra. | doctora
        prof. | profesor
        profa. | profesora
        ud.,vd. | usted
        uds.,vds. | ustedes
        a. c.,a.c. | antes de Cristo
        d. c.,d.c. | después de Cristo
        av.,avda.,avd. | avenida
        c/u | cada uno
        c/ | calle
        incl. | incluido
        hab. | habitantes
        pza.,plza.,pl. | plaza
        tel.,teléf.,tfno. | teléfono
        aprox. | aproximadamente
        máx. | máximo
        mín. | mínimo
        depto.,dpto. | departamento
        gral. | general
        cía. | compañía
        hnos. | hermanos
        ntra. | nuestra
        izq.,izda. | izquierda
        dcha.,der. | derecha
        vs.,vs | versus
        cf.,cfr. | confróntese
        admón. | administración
        pdo. | pasado
        ss. mm. | sus majestades
        s. a.,s.a. | S A
        s. l.,s.l. | S L
        lic. | licenciado
        ing. | ingeniero
        arq. | arquitecto
        mons. | monseñor
        excmo. | excelentísimo
        excma. | excelentísima
        d. | don
        d.ª,dña. | doña
        sta. | santa
        sto. | santo
        q. e. p. d.,q.e.p.d. | que en paz descanse
        i. e. | es decir
        s. s. | su santidad
        c.º b. | camino bajo
    """)
    titles = pairs("""
        s. | san
        fr. | fray
        d. | don
    """)
    before_number = pairs("""
        n.º,nº,n°,núm.,nro.,no.,num.,№ | número
        núms.,nos.,n.os | números
        pág.,p.,pg. | página
        págs.,pp. | páginas
        art. | artículo
        arts. | artículos
        cap. | capítulo
        fig. | figura
        vol. | volumen
        t. | tomo
        ed. | edición
        ref. | referencia
        apdo. | apartado
        km. | kilómetro
        s. | siglo
        ca. | circa
        v. | verso
        op. | opus
        lám. | lámina
        párr. | párrafo
    """)
    letters = {
        **EnglishTables.letters,
        "θ": "zeta",
        "φ": "fi",
        "π": "pi",
        "χ": "ji",
        "μ": "mi",
        "ν": "ni",
        "ξ": "xi",
        "ε": "épsilon",
        "υ": "ípsilon",
        "ο": "ómicron",
        "ψ": "psi",
        "β": "beta",
        "γ": "gamma",
        "ζ": "dseta",
        "η": "eta",
    }
    acronyms = words(
        "NASA OTAN UNESCO UNICEF OPEP SIDA FIFA UEFA ONU COVID CERN IKEA LEGO OVNI RENFE ONCE MERCOSUR PYME IVA PIB ESO AVE "
        "UNAM IMSS INEM DIAN PEMEX CEPAL "
        "OEA FARC TAC UVI UCI RAE PIN SIM ETA BOE SEAT TALGO RADAR LASER SARS OMS AENA APEC INTERPOL NAFTA ISO IPC RAM NIF TIC"
    ) - words("PIB IPC OMS")
    spelled_words = words("EE UU USA UE PP PSOE BBVA DNI FMI OCDE IA ADN OEA AVE RAE IMSS DIAN ISBN") - words(
        "PSOE DIAN RAE AVE OEA"
    )
    shouted = words(
        "EL LA LOS LAS UN UNA Y O NO SI YO TU SU MI ES EN DE DEL AL CON POR SIN QUE MAS MUY HOY YA FIN DOS TRES"
    )
    plural_of_initials = ""
