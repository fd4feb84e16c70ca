# ruff: noqa: RUF012 - tables of a class that never change
"""Portuguese tables, with Brazil's number words; what is written in Portugal is understood."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

MASCULINE = words(
    "dia dias mapa mapas problema problemas tema temas sistema sistemas programa programas idioma idiomas clima poema planeta "
    "planetas cinema cinemas "
    "drama telefonema quilograma quilogramas grama gramas sintoma sintomas artista turista diploma diplomas cometa"
)
FEMININE = words(
    "vez vezes mão mãos foto fotos moto motos noite noites mulher mulheres parte partes chave chaves tarde tardes gente série "
    "séries base bases rede redes lei leis voz luz flor flores classe classes cidade ponte pontes"
)
FEMININE_NAMES = words("isabel maria catarina vitória ana leonor joana elizabeth elisabete rainha")
_CENTAVO, _CENT = Noun("centavo", "centavos"), Noun("cêntimo", "cêntimos")
_UNITS = nouns("""
    ppm | parte por milhão | partes por milhão
    m | metro | metros
    col. | colher | colheres | f
    g | grama | gramas
    kg,Kg | quilo | quilos
    t | tonelada | toneladas | f
    l,L | litro | litros
    h,hs | hora | horas | f
    min | minuto | minutos
    s,seg | segundo | segundos
    d | dia | dias
    W | watt | watts
    Wh | watt-hora | watts-hora
    V | volt | volts
    A | ampere | amperes
    Hz | hertz
    B | byte | bytes
    J | joule | joules
    cal | caloria | calorias | f
    Pa | pascal | pascais
    Ω | ohm | ohms
    eV | elétron-volt | elétron-volts
    bit/s | bit por segundo | bits por segundo
    mol | mol | mols
    N | newton | newtons
    K | kelvin | kelvins
    mph | milha por hora | milhas por hora | f
    kmh | quilômetro por hora | quilômetros por hora
    km | quilômetro | quilômetros
    cm | centímetro | centímetros
    mm | milímetro | milímetros
    ft | pé | pés
    in | polegada | polegadas | f
    mi | milha | milhas | f
    lb,lbs | libra | libras | f
    oz | onça | onças | f
    ha | hectare | hectares
    °C,℃,ºC,° C,º C | grau Celsius | graus Celsius
    °F,℉,ºF,° F | grau Fahrenheit | graus Fahrenheit
    % | por cento
    ‰ | por mil
    dB | decibel | decibéis
    cv,CV | cavalo | cavalos
    bar | bar | bars
    mAh | miliampere-hora | miliamperes-hora
    Nm | newton-metro | newtons-metro
    px | pixel | pixels
    rpm | rotação por minuto | rotações por minuto | f
""")


def _currency(one: str, many: str, cent: Noun | None = _CENTAVO, gender: str = "m") -> Currency:
    return Currency(Noun(one, many, gender), cent)


class PortugueseTables(Tables):
    """What Portuguese calls things."""

    code = "pt"
    groups = ". \u00a0'"
    phrases = Phrases(
        to="a", and_="e", minus="menos", plus="mais", point="ponto", comma="vírgula", percent="por cento",
            permille="por mil", per="por",
        degrees=Noun("grau", "graus"), by="por", number="número", at="arroba", slash="barra", colon="dois pontos", dash="hífen",
        underscore="sublinhado", hash="hashtag", equals="igual a", not_equal="diferente de", times="vezes",
            divided="dividido por", less="menor que",
        greater="maior que", less_equal="menor ou igual a", greater_equal="maior ou igual a", about="aproximadamente",
            plus_minus="mais ou menos",
        root="raiz quadrada de", infinity="infinito", squared="ao quadrado", cubed="ao cubo", power="elevado a",
            over="sobre", section="parágrafo",
        sections="parágrafos", question="ponto de interrogação", exclamation="ponto de exclamação", ampersand="e",
            star="asterisco",
        extension="ramal", dollar="dólar", euro="euro", pound="libra", yen="iene", arcminute=Noun("minuto", "minutos"),
            foot=Noun("pé", "pés"), inch=Noun("polegada", "polegadas", "f"),
    )  # fmt: skip
    months = (
        "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
        "dezembro",
    )  # fmt: skip
    month_abbreviations = {
        "jan": 1, "fev": 2, "mar": 3, "abr": 4, "mai": 5, "jun": 6, "jul": 7, "ago": 8, "set": 9, "out": 10, "nov": 11,
        "dez": 12, "marco": 3,
    }  # fmt: skip
    date_of = "d[eo]"
    day_mark = "[ºo°]?"
    short_date_marks = "/.-"
    decade_pattern = r"(?<=anos )'?(\d0)s?(?![^\W_])"
    time_suffixes = (
        r"hrs?|h|horas|utc|gmt|(?:hs?[ \u00a0])?(?:da[ \u00a0](?:manhã|tarde|noite|madrugada))|[ap]\.?m\.?"
    )
    time_to = "às"
    ordinal_pattern = (
        r"(?P<number>\d{1,3}(?:\.\d{3})?|\d{1,5})\.?(?P<suffix>º|ª|°(?![ \u00a0]?[CF])|os|as|o|a)(?![^\W_])"
    )
    version = "versão"
    address_point = "ponto"
    backslash, tilde, caret = "barra invertida", "til", "acento circunflexo"
    point_time_words = words("às")
    known_labels = {
        "com": "com",
        "gmail": "gmail",
        "nvidia": "nvidia",
        "google": "google",
        "facebook": "facebook",
        "br": "br",
        "hotmail": "hotmail",
        "org": "org",
        "pt": "pt",
    }
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "capítulo cap tomo volume vol livro parte ato cena seção secção artigo art figura fig tabela página pág p nível fase "
        "título anexo lição tipo classe "
        "número mundial temporada episódio edição unidade grupo"
    )
    century_words = words("século séculos séc")
    roman_articles = words("o a os as do da dos das no na ao à um uma seu sua")
    regnal_names = words(
        "pedro joão carlos filipe afonso luís luis henrique napoleão francisco jorge guilherme paulo isabel fernando manuel "
        "maria sancho dinis alexandre nicolau pio bento duarte sebastião josé leão"
    )
    not_names = words("o a os as um uma e ou em de do da no na ele ela eu se por para com sobre")
    openers = words("o a os as um uma mas depois em não ele ela eles elas e se que quando eu nós")
    may_end_sentence = words("etcétera Cristo companhia limitada") | {
        "antes de Cristo",
        "depois de Cristo",
        "et cetera",
    }
    rates = nouns("""
        mês | mês
        semana | semana | | f
        dia | dia
        noite | noite | | f
        hora,h | hora | | f
        ano | ano
        kg,quilo | quilo
        l,L,litro | litro
        m²,m2 | metro quadrado
        pessoa | pessoa | | f
        kWh | quilowatt-hora
        unidade,un. | unidade | | f
    """)
    weekdays = {"seg": "segunda-feira", "ter": "terça-feira", "qua": "quarta-feira", "qui": "quinta-feira",
        "sex": "sexta-feira", "sáb": "sábado", "dom": "domingo"}  # fmt: skip
    date_words = words("dia em até desde segunda terça quarta quinta sexta sábado domingo feira")
    out_of = "de"
    weekday_joints = "a|à|e"
    scales = nouns("""
        mil,k | mil
        milhão,milhões,mi,mi.,m | milhão | milhões
        bilhão,bilhões,bi,b | bilhão | bilhões
        bilião,biliões | bilião | biliões
        trilhão,trilhões,tri | trilhão | trilhões
        quatrilhão,quatrilhões | quatrilhão | quatrilhões
    """)
    default_scales = {18: Noun("quintilhão", "quintilhões"), 21: Noun("sextilhão", "sextilhões")}
    currencies = {
        "BRL": _currency("real", "reais"), "USD": _currency("dólar", "dólares"), "US$": _currency("dólar", "dólares"),
        "EUR": _currency("euro", "euros", Noun("centavo", "centavos")),
        "GBP": _currency("libra", "libras", Noun("pêni", "pence"), "f"), "JPY": _currency("iene", "ienes"),
        "CNY": _currency("yuan", "yuans"), "INR": _currency("rupia", "rupias", None, "f"),
        "KRW": _currency("won", "wons", None), "CAD": _currency("dólar canadense", "dólares canadenses"),
        "AUD": _currency("dólar australiano", "dólares australianos"),
        "RUB": _currency("rublo", "rublos"), "TRY": _currency("lira", "liras", None, "f"), "BTC": _currency("bitcoin",
        "bitcoins", None), "CHF": _currency("franco suíço", "francos suíços"),
        "SEK": _currency("coroa", "coroas", None, "f"), "NOK": _currency("coroa norueguesa", "coroas norueguesas", None,
        "f"), "DKK": _currency("coroa dinamarquesa", "coroas dinamarquesas", None, "f"),
        "PLN": _currency("zloty", "zlotys", None), "ILS": _currency("shekel", "shekels", None),
        "MXN": _currency("peso mexicano", "pesos mexicanos"), "ARS": _currency("peso argentino", "pesos argentinos"),
        "CLP": _currency("peso chileno", "pesos chilenos"), "CENT": Currency(_CENT), "UAH": _currency("hryvnia", "hryvnias",
        None, "f"),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "quilo", "c": "centi", "m": "mili", "μ": "micro", "n": "nano", "d": "deci", "h": "hecto", "M": "mega",
        "G": "giga", "T": "tera", "P": "peta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B d in min bar cv CV cal hs")
    abbreviations = pairs("""
        3ª-feira,3ª feira | terça-feira
        p. ex.,p.ex. | por exemplo
        etc.,etc | et cetera
        sr. | senhor
        sra. | senhora
        srs. | senhores
        sras. | senhoras
        srta. | senhorita
        dr. | doutor
        dra. | doutora
        drs. | doutores
        prof. | professor
        profa.,prof.ª,profª | professora
        eng. | engenheiro
        arq. | arquiteto
        exmo. | excelentíssimo
        exma. | excelentíssima
        v. exa.,v.exa. | vossa excelência
        a. c.,a.c. | antes de Cristo
        d. c.,d.c. | depois de Cristo
        av. | avenida
        r. | rua
        pça.,pç. | praça
        tel.,telef. | telefone
        aprox. | aproximadamente
        máx. | máximo
        mín. | mínimo
        depto.,dept. | departamento
        cia.,cia | companhia
        ltda.,ltda | limitada
        lda. | limitada
        vs.,vs | versus
        cf. | confira
        s. a.,s.a. | S A
        sto. | santo
        sta. | santa
        d.ª | dona
        jr. | júnior
        obs. | observação
        qtd. | quantidade
        ed. | edição
        min. | ministro
        gov. | governador
        pres. | presidente
        dep. | deputado
        ap.,apto. | apartamento
        sec. | secretário
        tam. | tamanho
        hab. | habitantes
        ref. | referência
        i. e.,i.e. | isto é
    """)
    titles = pairs("""
        d. | dom
        s. | são
        pe. | padre
        fr. | frei
        gen. | general
        cel. | coronel
        cap. | capitão
        sen. | senador
    """)
    before_number = pairs("""
        n.º,nº,n°,núm.,no.,num.,№ | número
        n.os | números
        pág.,p.,pg. | página
        págs.,pp. | páginas
        art. | artigo
        arts. | artigos
        cap. | capítulo
        fig. | figura
        vol. | volume
        t. | tomo
        séc. | século
        ref. | referência
        km. | quilômetro
        op. | opus
        inc. | inciso
        v. | versículo
        bl. | bloco
    """)
    letters = {
        **EnglishTables.letters,
        "θ": "teta",
        "φ": "fi",
        "χ": "qui",
        "μ": "mi",
        "ν": "ni",
        "ε": "épsilon",
        "υ": "ípsilon",
        "ο": "ômicron",
        "γ": "gama",
        "σ": "sigma",
        "ω": "ômega",
        "κ": "capa",
        "ρ": "rô",
        "Ω": "ômega",
    }
    acronyms = words(
        "NASA OTAN UNESCO UNICEF OPEP FIFA UEFA ONU COVID CERN IKEA LEGO MERCOSUL PETROBRAS EMBRAER ANVISA IBAMA FUNAI CADE "
        "SUS ENEM SESC SENAI UNESP UNICAMP "
        "USP SIDA RADAR LASER SARS OMS INEP IPEA PIB IPCA SELIC COPOM PIS FGTS PALOP SAMU CAPES FIESP APEC PIN SIM RAM AIDS "
        "FUNARTE INCRA TAP DETRAN UNB"
    ) - words("USP FGTS OMS IPCA UNB")
    spelled_words = words(
        "EUA UE USA IPVA IPTU CPF RG INSS IBGE STF OEA IA OAB ISBN TV OMS USP CEO UERJ EDP ADN"
    ) - words("UERJ OEA")
    shouted = words(
        "O A OS AS UM UMA E OU NÃO SIM EU TU ELE ELA SEU MEU É EM DE DO DA NO NA COM POR SEM QUE MAIS JÁ HOJE FIM DOIS LER VER"
    )
    plural_of_initials = "s"
