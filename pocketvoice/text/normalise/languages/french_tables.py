# ruff: noqa: RUF012 - tables of a class that never change
"""French tables."""

from pocketvoice.text.normalise.languages.english_tables import EnglishTables
from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words
from pocketvoice.text.normalise.languages.units import with_prefixes

FEMININE = words(
    "république républiques fois page pages heure heures minute minutes seconde secondes année années journée semaine "
    "semaines personne personnes "
    "femme femmes fille filles "
    "voiture voitures ville villes maison maisons chose choses partie parties place places lettre lettres lettre pièce pièces "
    "chambre chambres "
    "victime victimes voix tonne tonnes livre livres équipe équipes entreprise entreprises ligne lignes photo photos question "
    "questions marche "
    "bouteille bouteilles tasse tasses cuillère cuillères cuillerée tranche tranches gousse gousses boîte boîtes table tables "
    "porte portes "
    "école écoles église île îles rue rues route routes mesure mesures étape étapes étoile étoiles banque banques carte "
    "cartes clé clés "
    "commune communes danse date dates demande demandes dent dents fenêtre fête feuille feuilles fleur fleurs forme formes "
    "gare gares guerre guerres "
    "jambe langue langues loi lois main mains marque marques mer mère minute nuit nuits offre offres œuvre œuvres part parts "
    "peine peur pomme pommes "
    "porte preuve règle règles robe rose salle salles scène scènes sorte sortes sœur sœurs tête têtes tomate tomates tour "
    "usine usines vache valeur vie vies vidéo vidéos vitre"
)
MASCULINE = words(
    "million millions milliard milliards musée lycée âge problème système siècle côté été traité comité"
)
ORDINAL_NAMES = words("premier")
_CENT = Noun("centime", "centimes")
_UNITS = nouns("""
    ppm | partie par million | parties par million
    m | mètre | mètres
    c. à s.,c.à.s.,c. à soupe,cs | cuillère à soupe | cuillères à soupe | f
    c. à c.,c.à.c.,c. à café | cuillère à café | cuillères à café | f
    g | gramme | grammes
    t | tonne | tonnes | f
    l,L | litre | litres
    h | heure | heures | f
    min,mn | minute | minutes | f
    s,sec | seconde | secondes | f
    j | jour | jours
    W | watt | watts
    Wh | wattheure | wattheures
    V | volt | volts
    A | ampère | ampères
    Hz | hertz
    o | octet | octets
    ko,Ko | kilooctet | kilooctets
    Mo | mégaoctet | mégaoctets
    Go | gigaoctet | gigaoctets
    To | téraoctet | téraoctets
    B | octet | octets
    J | joule | joules
    cal | calorie | calories | f
    Pa | pascal | pascals
    Ω | ohm | ohms
    eV | électronvolt | électronvolts
    bit/s | bit par seconde | bits par seconde
    mol | mole | moles | f
    N | newton | newtons
    K | kelvin | kelvins
    mph | mille à l'heure | milles à l'heure
    ft | pied | pieds
    in | pouce | pouces
    mi | mille | milles
    lb,lbs | livre | livres | f
    oz | once | onces | f
    ha | hectare | hectares
    °C,℃,ºC,° C | degré Celsius | degrés Celsius
    °F,℉,ºF,° F | degré Fahrenheit | degrés Fahrenheit
    °,º | degré | degrés
    % | pour cent
    ‰ | pour mille
    dB | décibel | décibels
    ch | cheval | chevaux
    CV | cheval | chevaux
    bar | bar | bars
    mAh | milliampère-heure | milliampères-heure
    Nm | newton-mètre | newtons-mètres
    px | pixel | pixels
    kmh | kilomètre par heure | kilomètres par heure
    tr/min | tour par minute | tours par minute
    ans | an | ans
    càs | cuillère à soupe | cuillères à soupe | f
    càc | cuillère à café | cuillères à café | f
""")


class FrenchTables(Tables):
    """What French calls things."""

    code = "fr"
    groups = " .\u00a0'"
    phrases = Phrases(
        to="à", and_="et", minus="moins", plus="plus", point="point", comma="virgule", percent="pour cent",
            permille="pour mille", per="par",
        degrees=Noun("degré", "degrés"), by="sur", number="numéro", at="arobase", slash="slash", colon="deux points",
            dash="tiret",
        underscore="tiret bas", hash="hashtag", equals="égale", not_equal="différent de", times="fois", divided="divisé par",
            less="inférieur à",
        greater="supérieur à", less_equal="inférieur ou égal à", greater_equal="supérieur ou égal à", about="environ",
            plus_minus="plus ou moins",
        root="racine de", infinity="l'infini", squared="au carré", cubed="au cube", power="puissance", over="sur",
            section="paragraphe",
        sections="paragraphes", question="point d'interrogation", exclamation="point d'exclamation", ampersand="et",
            star="étoile",
        extension="poste", dollar="dollar", euro="euro", pound="livre", yen="yen", arcminute=Noun("minute", "minutes", "f"),
            foot=Noun("pied", "pieds"), inch=Noun("pouce", "pouces"),
    )  # fmt: skip
    months = (
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    )  # fmt: skip
    month_abbreviations = {
        "janv": 1, "jan": 1, "févr": 2, "fév": 2, "fevr": 2, "fev": 2, "fevrier": 2, "avr": 4, "juil": 7, "aout": 8,
        "sept": 9, "oct": 10, "nov": 11, "déc": 12, "dec": 12, "decembre": 12,
    }  # fmt: skip
    day_mark = "(?:er|ᵉʳ)?"
    short_date_marks = "/.-"
    decade_pattern = r"(?<=années )'?(\d0)s?(?![^\W_])|(?<=les )(\d0)s(?![^\W_])"
    time_suffixes = r"h(?:eures?)?|utc|gmt|cet"
    time_to = "à"
    ordinal_pattern = r"(?P<number>\d{1,4})(?P<suffix>ers|er|ère|re|res|ères|e|è|ème|ième|ièmes|èmes|eme|nd|nde|es|ᵉ|ᵉʳ)(?![^\W_])"
    version = "version"
    address_point = "point"
    backslash, tilde, caret = "antislash", "tilde", "accent circonflexe"
    known_labels = {"com": "com", "fr": "fr", "org": "org", "net": "net", "gmail": "gmail"}
    address_signs = {"&": "et commercial", "#": "dièse"}
    read_domains = Tables.read_domains | words("org")
    numbered = words(
        "chapitre chap tome volume vol livre partie acte scène section article art figure fig tableau page p niveau phase "
        "titre annexe leçon type classe "
        "numéro paragraphe guerre mondiale saison épisode république"
    )
    century_words = words("siècle siècles")
    century_before_noun = True
    roman_suffix = r"(?:er|ère|re|e|è|ème|ième|ᵉ)(?![^\W_])"
    regnal_names = words(
        "charles louis henri napoléon françois jean philippe paul pierre georges guillaume albert léopold élisabeth elisabeth "
        "catherine alexandre nicolas pie benoît grégoire clovis richard édouard jacques frédéric ferdinand"
    )
    not_names = words(
        "le la les un une et ou en de du des à au aux il elle je nous vous on ce cette pour par sur dans"
    )
    openers = words(
        "le la les il elle ils elles nous vous je on mais et ce cette ces un une puis dans en si que qui après avant pour sur"
    )
    may_end_sentence = words("cetera Jésus-Christ compagnie") | {
        "et cetera",
        "avant Jésus-Christ",
        "après Jésus-Christ",
    }
    point_time_words = frozenset()
    room_words = frozenset()
    rates = nouns("""
        mois | mois
        semaine,sem. | semaine | | f
        jour,j | jour
        nuit | nuit | | f
        heure,h | heure | | f
        an | an
        année | année | | f
        kg | kilo
        l,L,litre | litre
        m²,m2 | mètre carré
        personne,pers. | personne | | f
        kWh | kilowattheure
        pièce | pièce | | f
    """)
    weekdays = {"lun": "lundi", "mar": "mardi", "mer": "mercredi", "jeu": "jeudi", "ven": "vendredi", "sam": "samedi",
        "dim": "dimanche"}  # fmt: skip
    date_words = words("le du au dès lundi mardi mercredi jeudi vendredi samedi dimanche")
    out_of = "sur"
    weekday_joints = "au|à"
    scales = nouns("""
        mille,k | mille
        million,millions,m,mio | million | millions
        milliard,milliards,md,mds,mrd,b,bn | milliard | milliards
        billion,billions | billion | billions
    """)
    default_scales = {18: Noun("trillion", "trillions"), 21: Noun("trilliard", "trilliards")}
    currencies = {
        "USD": Currency(Noun("dollar", "dollars"), Noun("cent", "cents")), "US$": Currency(Noun("dollar américain",
        "dollars américains"), Noun("cent", "cents")),
        "EUR": Currency(Noun("euro", "euros"), _CENT), "GBP": Currency(Noun("livre", "livres", "f"), Noun("penny", "pence")),
        "JPY": Currency(Noun("yen", "yens")), "CNY": Currency(Noun("yuan", "yuans")), "INR": Currency(Noun("roupie",
        "roupies", "f")), "KRW": Currency(Noun("won", "wons")),
        "BRL": Currency(Noun("réal", "réaux"), Noun("centavo", "centavos")), "CAD": Currency(Noun("dollar canadien",
        "dollars canadiens"), Noun("cent", "cents")),
        "AUD": Currency(Noun("dollar australien", "dollars australiens"), Noun("cent", "cents")),
        "RUB": Currency(Noun("rouble", "roubles"), Noun("kopeck", "kopecks")),
        "TRY": Currency(Noun("livre turque", "livres turques", "f")), "BTC": Currency(Noun("bitcoin", "bitcoins")),
        "CHF": Currency(Noun("franc suisse", "francs suisses"), _CENT),
        "SEK": Currency(Noun("couronne", "couronnes", "f")), "NOK": Currency(Noun("couronne norvégienne",
        "couronnes norvégiennes", "f")),
        "DKK": Currency(Noun("couronne danoise", "couronnes danoises", "f")), "PLN": Currency(Noun("zloty", "zlotys")),
        "CZK": Currency(Noun("couronne", "couronnes", "f")),
        "ILS": Currency(Noun("shekel", "shekels")), "FRF": Currency(Noun("franc", "francs"), _CENT),
        "UAH": Currency(Noun("hryvnia", "hryvnias", "f")), "MXN": Currency(Noun("peso mexicain", "pesos mexicains")),
        "CENT": Currency(_CENT),
    }  # fmt: skip
    units = with_prefixes(_UNITS, {
        "k": "kilo", "c": "centi", "m": "milli", "μ": "micro", "n": "nano", "d": "déci", "h": "hecto", "M": "méga",
        "G": "giga", "T": "téra", "P": "péta",
    })  # fmt: skip
    loose_units = words("m g l s h t A V W K J N B j o in min bar ch CV ans")
    abbreviations = pairs("""
        p. ex.,p.ex.,par ex. | par exemple
        pers. | personnes
        c.-à-d.,c. à d.,càd | c'est-à-dire
        etc.,etc | et cetera
        env. | environ
        av. j.-c.,av. j.c.,av. j. c. | avant Jésus-Christ
        apr. j.-c.,ap. j.-c.,apr. j.c. | après Jésus-Christ
        cf. | confer
        mme,mme. | madame
        mmes | mesdames
        mlle,mlle. | mademoiselle
        mlles | mesdemoiselles
        mm. | messieurs
        dr,dr. | docteur
        dre | docteure
        dres | docteures
        drs | docteurs
        pr | professeur
        me | maître
        mgr | monseigneur
        st,st. | saint
        ste,ste. | sainte
        sts | saints
        bd,bld,boul. | boulevard
        av. | avenue
        pl. | place
        tél. | téléphone
        tel. | téléphone
        max. | maximum
        min. | minimum
        hab. | habitants
        cie,cie. | compagnie
        svp,s.v.p. | s'il vous plaît
        rdv | rendez-vous
        p.-s.,p.s. | post-scriptum
        resp. | respectivement
        dép.,dépt | département
        ex. | exemple
        qqn | quelqu'un
        qqch | quelque chose
        vs,vs. | versus
        n.b. | nota bene
        r.-v. | rendez-vous
        incl. | inclus
        hebd. | hebdomadaire
        suiv. | suivant
        éd. | éditions
        rte | route
        fg | faubourg
        r.d.c.,rdc | rez-de-chaussée
    """)
    titles = pairs("""
        m. | monsieur
        mr,mr. | monsieur
        pr. | professeur
        me | maître
    """)
    before_number = pairs("""
        n°,nº,no,no.,n° ,№ | numéro
        nos,nos. | numéros
        p. | page
        pp. | pages
        art. | article
        th. | thermostat
        chap. | chapitre
        fig. | figure
        vol. | volume
        t. | tome
        tab. | tableau
        al. | alinéa
        bât. | bâtiment
        appt,appt. | appartement
        ex. | exemple
        op. | opus
        éq. | équation
        sect. | section
    """)
    letters = {
        **EnglishTables.letters,
        "β": "bêta",
        "ζ": "zêta",
        "η": "êta",
        "θ": "thêta",
        "μ": "mu",
        "χ": "khi",
        "ξ": "xi",
        "Θ": "thêta",
        "Χ": "khi",
    }
    acronyms = words(
        "NASA OTAN UNESCO UNICEF OPEP SIDA FIFA UEFA ONU COVID SARS CERN IKEA LEGO LASER RADAR OVNI SAMU SMIC FNAC INSEE CAC "
        "DOM TOM PACS ZAC ZEP CROUS "
        "CAF CNIL ENA INRA RATP SIRET URSSAF VIH ASSEDIC BAC CAPES INSERM PIB PIN SIM TAXI TIFF WIFI ESA OMS CEDEX AFNOR BIC "
        "ZUP RIB"
    ) - words("RATP VIH PIB OMS ESA TAXI BIC")
    spelled_words = words(
        "USA UE ONU EDF GDF SNCF RATP BNP IA RER TGV PDG HLM CE EU RIB AOC AOP OMS EURL SA URL AFP ADN AG"
    ) - words("ONU RIB")
    shouted = words(
        "LE LA LES UN UNE ET OU NE PAS TU IL ON OUI NON ICI NOS VOS MES TES SES SUR ETE FIN BON BAS EN AU DU DE"
    )
    plural_of_initials = ""
