# ruff: noqa: RUF012 - tables of a class that never change
"""English tables."""

import re

from pocketvoice.text.normalise.languages.tables import Currency, Noun, Phrases, Tables, nouns, pairs, words

WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")
AFTER_YEAR = words("the a in on at and or but was were is are had has to by with when as of for from")
CARDINAL_NAMES = words(
    "war bowl part volume chapter windows rocky mark type phase world final fantasy olympics apollo title section"
)
STREET = re.compile(
    r" (?:[NSEW]\.? )?(?:[A-Z][a-z]+|\d{1,3}(?:st|nd|rd|th))(?: [A-Z][a-z]+)? "
    r"(?:St|Ave|Blvd|Rd|Dr|Ln|Hwy|Street|Avenue|Road|Boulevard|Lane|Drive|Way|Court|Place|Square)\b"
)
_CENT = Noun("cent", "cents")
_DOLLAR = Noun("dollar", "dollars")


class EnglishTables(Tables):
    """What English calls things."""

    code = "en"
    decimal = "."
    groups = ",\u00a0'"
    phrases = Phrases(
        to="to", and_="and", minus="minus", plus="plus", point="point", comma="point", percent="percent",
            permille="per mille", per="per",
        degrees=Noun("degree", "degrees"), by="by", number="number", at="at", slash="slash", colon="colon", dash="dash",
            underscore="underscore",
        hash="hashtag", equals="equals", not_equal="does not equal", times="times", divided="divided by", less="is less than",
        greater="is greater than", less_equal="is less than or equal to", greater_equal="is greater than or equal to",
            about="about",
        plus_minus="plus or minus", root="the square root of", infinity="infinity", squared="squared", cubed="cubed",
            power="to the power of",
        over="over", section="section", sections="sections", question="question mark", exclamation="exclamation mark",
            ampersand="and",
        star="star", extension="extension", dollar="dollar", euro="euro", pound="pound", yen="yen", arcminute=Noun("minute",
            "minutes"),
        foot=Noun("foot", "feet"), inch=Noun("inch", "inches"),
    )  # fmt: skip
    months = (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    )  # fmt: skip
    month_abbreviations = {
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
        "dec": 12,
    }  # fmt: skip
    ambiguous_months = words("may march mar jan")
    month_comes_first = True
    date_of = "of"
    day_mark = "(?:st|nd|rd|th)?"
    day_month_slash = False
    decade_pattern = r"'(\d0)s(?![^\W_])|(1[0-9]\d0|20\d0) ?'?s(?![^\W_])|([2-9]0)s(?![^\W_])"
    short_date_marks = "/"
    has_letter_times = False
    time_suffixes = (
        r"(?:[ap]\.?m)\.?(?:[ \u00a0]?(?:e\.s\.t|p\.s\.t|est|pst|cst|mst|edt|pdt|gmt|utc|cet|et|pt)(?![^\W_]))?|"
        r"gmt|utc|est|pst|cet|edt|pdt|"
        r"o'clock"
    )
    time_to = "to"
    ordinal_pattern = r"(?P<number>\d{1,3}(?:,\d{3})+|\d{1,12})(?P<suffix>st|nd|rd|th|ST|ND|RD|TH)(?![^\W_])"
    room_words = words(
        "room rooms flight suite apt apartment route highway gate area channel bus extension ext"
    )
    score_words = words("won lost beat score scored draw drew win defeated leading trailing final")
    long_are_digits = True
    version = "version"
    address_point = "dot"
    backslash, tilde, caret = "backslash", "tilde", "caret"
    lone_signs = {"₩": "won", "#": "hash", "€": "euro", "✓": "check", "→": "to"}
    digit_words = Tables.digit_words | words("ba aa ua dl lh af kl iberia ryanair")
    numbered = words(
        "chapter chap part volume vol book act scene section article appendix figure fig table page pages p pp level phase "
        "stage type war "
        "bowl grade class title unit lesson canto psalm verse step round mark episode season tome amendment"
    )
    century_words = words("century centuries")
    century_before_noun = True
    regnal_names = words(
        "charles george james william henry elizabeth napoleon frederick john paul francis leopold louis philip peter "
        "catherine alexander "
        "nicholas pius victoria ferdinand edward richard sam mary anne wilhelm otto ludwig alfonso juan carlos felipe pedro"
    )
    not_names = words("the in at on and or a an i we he she it they this that with for from by")
    openers = words(
        "the he she it they we i you but and this that these those there here in on at if when then what why how who where so "
        "my his her its "
        "our your their a an for after before as not no yes all some many one now later however meanwhile is are was were do "
        "does did"
    )
    may_end_sentence = words(
        "street avenue boulevard road drive lane incorporated limited junior senior etcetera corporation company"
    )
    address_signs = {"&": "ampersand", "#": "hash"}
    rates = nouns("""
        month,mo | month
        mo. | month
        week,wk | week
        day,d | day
        hour,hr,h | hour
        year,yr,y | year
        minute,min | minute
        kg | kilogram
        lb | pound
        oz | ounce
        person | person
        night | night
        user | user
        piece,pc | piece
        gal | gallon
        share | share
        sq ft | square foot
    """)
    weekdays = {"mon": "Monday", "tue": "Tuesday", "tues": "Tuesday", "wed": "Wednesday", "thu": "Thursday",
        "thur": "Thursday", "thurs": "Thursday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday"}  # fmt: skip
    date_words = words(
        "on by until till from monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun"
    )
    out_of = "out of"
    weekday_joints = "to|through|thru"
    scales = nouns("""
        hundred | hundred
        thousand,k | thousand
        million,m,mn,mln | million
        billion,b,bn,bln | billion
        trillion,t,tn,trn | trillion
        quadrillion | quadrillion
    """)
    default_scales = {18: Noun("quintillion", "quintillion"), 21: Noun("sextillion", "sextillion")}
    currencies = {
        "USD": Currency(_DOLLAR, _CENT), "US$": Currency(Noun("US dollar", "US dollars"), _CENT),
        "EUR": Currency(Noun("euro", "euros"), _CENT),
        "GBP": Currency(Noun("pound", "pounds"), Noun("penny", "pence")), "JPY": Currency(Noun("yen", "yen"), Noun("sen", "sen")),
        "CNY": Currency(Noun("yuan", "yuan"), Noun("fen", "fen")), "INR": Currency(Noun("rupee", "rupees"), Noun("paisa",
        "paise")),
        "KRW": Currency(Noun("won", "won")), "BRL": Currency(Noun("real", "reais"), Noun("centavo", "centavos")),
        "CAD": Currency(Noun("Canadian dollar", "Canadian dollars"), _CENT), "AUD": Currency(Noun("Australian dollar",
        "Australian dollars"), _CENT),
        "NZD": Currency(Noun("New Zealand dollar", "New Zealand dollars"), _CENT), "HKD": Currency(Noun("Hong Kong dollar",
        "Hong Kong dollars"), _CENT),
        "SGD": Currency(Noun("Singapore dollar", "Singapore dollars"), _CENT), "RUB": Currency(Noun("ruble", "rubles"),
        Noun("kopek", "kopeks")),
        "TRY": Currency(Noun("lira", "lira")), "UAH": Currency(Noun("hryvnia", "hryvnias")), "BTC": Currency(Noun("bitcoin",
        "bitcoins")),
        "CHF": Currency(Noun("Swiss franc", "Swiss francs"), Noun("centime", "centimes")), "SEK": Currency(Noun("krona",
        "kronor"), Noun("ore", "ore")),
        "NOK": Currency(Noun("Norwegian krone", "Norwegian kroner")), "DKK": Currency(Noun("Danish krone", "Danish kroner")),
        "PLN": Currency(Noun("zloty", "zlotys"), Noun("grosz", "groszy")), "CZK": Currency(Noun("koruna", "korunas")),
        "ILS": Currency(Noun("shekel", "shekels")), "MXN": Currency(Noun("Mexican peso", "Mexican pesos"), Noun("centavo",
        "centavos")),
        "THB": Currency(Noun("baht", "baht")), "NGN": Currency(Noun("naira", "naira")), "PHP": Currency(Noun("peso", "pesos")),
        "VND": Currency(Noun("dong", "dong")), "ZAR": Currency(Noun("rand", "rand")), "CENT": Currency(_CENT),
    }  # fmt: skip
    units = nouns("""
        kg,KG,Kg,kgs | kilogram | kilograms
        g | gram | grams
        mg | milligram | milligrams
        μg,mcg | microgram | micrograms
        t | ton | tons
        lb,lbs,LB | pound | pounds
        oz | ounce | ounces
        km | kilometer | kilometers
        m | meter | meters
        cm | centimeter | centimeters
        mm | millimeter | millimeters
        μm | micrometer | micrometers
        nm | nanometer | nanometers
        mi | mile | miles
        ft | foot | feet
        in | inch | inches
        yd,yds | yard | yards
        L,l | liter | liters
        mL,ml | milliliter | milliliters
        dl | deciliter | deciliters
        cl | centiliter | centiliters
        gal | gallon | gallons
        qt | quart | quarts
        pt | pint | pints
        tsp | teaspoon | teaspoons
        tbsp | tablespoon | tablespoons
        h,hr,hrs | hour | hours
        min,mins | minute | minutes
        s,sec,secs | second | seconds
        ms | millisecond | milliseconds
        μs | microsecond | microseconds
        ns | nanosecond | nanoseconds
        yr,yrs | year | years
        wk,wks | week | weeks
        mo | month | months
        mph | mile per hour | miles per hour
        kph,kmh,kmph | kilometer per hour | kilometers per hour
        mpg | mile per gallon | miles per gallon
        rpm | revolution per minute | revolutions per minute
        bpm | beat per minute | beats per minute
        fps | frame per second | frames per second
        dpi | dot per inch | dots per inch
        ppm | part per million | parts per million
        °C,℃,ºC,°c,° C | degree Celsius | degrees Celsius
        °F,℉,ºF,°f,° F | degree Fahrenheit | degrees Fahrenheit
        K | kelvin | kelvins
        °,º | degree | degrees
        % | percent | percent
        ‰ | per mille | per mille
        pp | percentage point | percentage points
        Hz | hertz | hertz
        kHz | kilohertz | kilohertz
        MHz | megahertz | megahertz
        GHz | gigahertz | gigahertz
        W | watt | watts
        kW | kilowatt | kilowatts
        MW | megawatt | megawatts
        GW | gigawatt | gigawatts
        kWh | kilowatt hour | kilowatt hours
        MWh | megawatt hour | megawatt hours
        Wh | watt hour | watt hours
        mAh | milliamp hour | milliamp hours
        V | volt | volts
        kV | kilovolt | kilovolts
        mV | millivolt | millivolts
        A | amp | amps
        mA | milliamp | milliamps
        Ω | ohm | ohms
        kΩ | kiloohm | kiloohms
        J | joule | joules
        kJ | kilojoule | kilojoules
        MJ | megajoule | megajoules
        kcal | kilocalorie | kilocalories
        cal | calorie | calories
        N | newton | newtons
        Nm | newton meter | newton meters
        Pa | pascal | pascals
        kPa | kilopascal | kilopascals
        hPa | hectopascal | hectopascals
        bar | bar | bars
        psi | P S I | P S I
        dB | decibel | decibels
        ha | hectare | hectares
        sq ft,sqft | square foot | square feet
        sq mi | square mile | square miles
        acre | acre | acres
        bit | bit | bits
        B | byte | bytes
        KB,kB | kilobyte | kilobytes
        MB | megabyte | megabytes
        GB | gigabyte | gigabytes
        TB | terabyte | terabytes
        PB | petabyte | petabytes
        KiB | kibibyte | kibibytes
        MiB | mebibyte | mebibytes
        GiB | gibibyte | gibibytes
        kbps,Kbps,kbit/s | kilobit per second | kilobits per second
        Mbps,mbps,Mbit/s | megabit per second | megabits per second
        Gbps,gbps,Gbit/s | gigabit per second | gigabits per second
        MP | megapixel | megapixels
        px | pixel | pixels
        mol | mole | moles
        mmol | millimole | millimoles
        hp | horsepower | horsepower
        kn | knot | knots
        ly | light year | light years
        lm | lumen | lumens
        lx | lux | lux
        eV | electron volt | electron volts
        keV | kiloelectron volt | kiloelectron volts
        MeV | megaelectron volt | megaelectron volts
        GeV | gigaelectron volt | gigaelectron volts
        million | million | million
    """)
    loose_units = words("m g l s h t A V W K J N B pt in min cal bit bar acre yr mo kn hp pp MP ly")
    abbreviations = pairs("""
        wwi | World War One
        wwii | World War Two
        e.g.,eg.,e. g. | for example
        i.e.,i. e. | that is
        etc.,etc | etcetera
        vs.,vs | versus
        approx. | approximately
        a.k.a.,aka | also known as
        w/o | without
        w/ | with
        b/c | because
        et al. | et al
        viz. | namely
        cf. | compare
        ca. | circa
        incl. | including
        excl. | excluding
        dept. | department
        est. | established
        govt. | government
        mgmt. | management
        tel.: | telephone:
        tel. | telephone
        inc. | incorporated
        ltd.,ltd | limited
        corp. | corporation
        co. | company
        bros. | brothers
        univ. | university
        assn. | association
        asst. | assistant
        min. | minimum
        max. | maximum
        misc. | miscellaneous
        attn. | attention
        p.s. | P S
        r.s.v.p. | R S V P
        ph.d.,phd,ph.d | P H D
        m.d. | M D
        b.a. | B A
        b.c.e.,bce | B C E
        b.c. | B C
        a.d. | A D
        c.e. | C E
        401(k) | four oh one k
        jr.,jr | junior
        sr. | senior
        esq. | esquire
        and/or | and or
        his/her | his or her
        he/she | he or she
        him/her | him or her
        24/7 | twenty four seven
        9/11 | nine eleven
        n,n. | North
        s,s. | South
        e,e. | East
        w,w. | West
        tv | TV
        mr.,mr | mister
        mrs.,mrs | missus
        ms. | miz
        prof. | professor
        messrs. | messieurs
    """)
    titles = pairs("""
        mr.,mr | mister
        mrs.,mrs | missus
        ms.,ms | miz
        dr.,dr | doctor
        st.,st | Saint
        prof.,prof | professor
        gen. | general
        col. | colonel
        lt. | lieutenant
        sgt. | sergeant
        capt. | captain
        cmdr. | commander
        adm. | admiral
        maj. | major
        rev. | reverend
        hon. | honorable
        gov. | governor
        sen. | senator
        rep. | representative
        pres. | president
        fr. | father
        sr. | sister
        br. | brother
        mt.,mt | Mount
        ft.,ft | Fort
        messrs. | messieurs
        sts. | Saints
    """)
    before_number = pairs("""
        no.,no,nr. | number
        nos. | numbers
        fig.,fig | figure
        figs. | figures
        p. | page
        pp. | pages
        pg. | page
        vol.,vol | volume
        vols. | volumes
        ch.,chap. | chapter
        sec.,sect. | section
        art. | article
        eq. | equation
        ed. | edition
        ex. | example
        par.,para. | paragraph
        app. | appendix
        ext.,ext | extension
        apt.,apt | apartment
        rm. | room
        ste. | suite
        tab. | table
        v. | verse
        l. | line
        ll. | lines
        c. | circa
        op. | opus
        bk. | book
        ver. | version
        rte. | route
    """)
    after_name = pairs("""
        st.,st | street
        ave.,ave | avenue
        blvd.,blvd | boulevard
        rd.,rd | road
        dr. | drive
        ln.,ln | lane
        hwy.,hwy | highway
        sq. | square
        pl. | place
        ct. | court
        pkwy.,pkwy | parkway
        ny | New York
        n.y. | New York
    """)
    letters = {
        "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
        "θ": "theta", "ι": "iota",
        "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma",
        "ς": "sigma",
        "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Α": "alpha", "Β": "beta",
        "Γ": "gamma",
        "Δ": "delta", "Ε": "epsilon", "Ζ": "zeta", "Η": "eta", "Θ": "theta", "Ι": "iota", "Κ": "kappa", "Λ": "lambda",
        "Μ": "mu", "Ν": "nu",
        "Ξ": "xi", "Ο": "omicron", "Π": "pi", "Ρ": "rho", "Σ": "sigma", "Τ": "tau", "Υ": "upsilon", "Φ": "phi", "Χ": "chi",
        "Ψ": "psi", "Ω": "omega",
    }  # fmt: skip
    acronyms = words(
        "NASA NATO UNESCO UNICEF OPEC AIDS LASER RADAR SONAR FIFA UEFA ASEAN SWAT NAFTA GIF JPEG RAM ROM LAN WAN PIN SIM "
        "COVID SARS MERS FEMA "
        "OSHA NASDAQ SCUBA MOMA DARPA NIMBY YOLO BREXIT HAMAS ISIS POTUS SCOTUS FLOTUS CERN ESA AM PM OK TV US ASCII BIOS "
        "CAPTCHA CUDA NVIDIA IKEA "
        "LEGO JSON YAML LASIK NORAD OASIS PETA RAID SAT SATA SOHO TED WAP WHO ZIP TOEFL GMAT GUI SOAP CRISPR CAT CRUD DOS "
        "SPAM GO NEW YORK"
    ) - words("ESA WHO SAT GO US TV NEW YORK CAT")
    spelled_words = words(
        "FBI CIA NSA DEA FDA CDC IRS ATM CEO GPS USB IP DIY FAQ LED LCD HIV IQ VIP GDP UFC NBA NFL MLB NHL USA UAE EU UN US "
        "UK AI IT ID TV UFO IOU URL API SUV CEO CFO CTO COO AOL EPA IEEE IUPAC UCLA ESPN ISBN AAA IPO BA "
        "UA USSR AIDE LIDO HTML"
    ) - words("AIDE LIDO")
    shouted = words(
        "IT THE AND NOT YOU ARE FOR BUT ALL ANY CAN HAS HAD HER HIM HIS HOW ITS LET MAY NEW NOW OLD ONE OUR OUT OWN PUT SAY SEE "
        "SHE TOO TWO USE WAS "
        "WAY WHO WHY YES YET BIG BAD DAY END FAR FEW GET GOT MAN MEN TOP TRY WAR WON AM AN AS AT BE BY DO GO HE IF IN IS ME "
        "MY NO OF OH OK ON OR SO TO UP WE "
        "STOP FREE SALE ONLY OPEN HELP WAIT OFF NEVER GOOD RED HOT SET RUN ASK ADD"
    )  # fmt: skip
