"""Words that bear on where a sentence ends or may be cut, for the seven languages together. Data only, lower case, no dots.

There is no language at hand when a text is split, so a word is listed only where it can't spoil another language: words
that end ordinary sentences (`no.`, `art.`, `on.`) are abbreviations only before a number, or not at all.
"""


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


TITLES = _set(
    "dr dra drs mr mrs ms mx prof profs profa sr sra srta st ste mme mlle mm messrs mgr hr frl sig sgra dott prof.ssa",
    "dott.ssa sig.ra dhr mevr mw ds exmo exma d.ª dña",
)
"""Stand before a name: never the end of a sentence."""

TITLES_IF_CAPITAL = _set(
    "gen col lt sgt cpl cpt capt cmdr adm maj rev hon gov sen rep pres supt insp det fr ing arch avv rag geom ir mons",
    "cap com pe eng mt ft sto sta",
)
"""Titles too, if they begin with a capital; in small letters they are ordinary words: `Col. Müller`, `rag.`."""

NEVER_LAST = _set(
    "e.g i.e eg ie ex ej viz vs cf approx ca z.b d.h u.a u.ä o.ä s.o s.u z.t z.zt i.d.r bzw vgl sog evtl ggf inkl exkl zzgl",
    "bspw lt hrsg geb gest insb p.ex p.ej c.-à-d cad env resp p.es ad.es v.gr e.d d.w.z d.m.v o.a m.b.t",
    "t.o.v i.p.v m.a.w bijv bv resp zgn incl excl p.s str hauptstr",
)
"""Always followed by more of the sentence."""

BEFORE_NUMBER = _set(
    "no nos nr nrs núm num n nº fig figs p pp pg pag pág págs vol vols ch chap sec sect art arts abs abb tab kap bd s",
    "cap par eq ex ed op av tel ext apt km blz hfdst afb jan feb mar apr jun jul aug sep sept oct okt nov dec dez dic",
    "gen mag giu lug ott abr ago févr juil déc märz mrt",
)
"""Abbreviations when a number follows, ordinary words otherwise."""

MAY_BE_LAST = _set(
    "etc usw usf uvm ecc enz inc ltd co corp plc jr sr bros llc gmbh ave blvd rd ln hwy sq dept univ assn est min max",
    "uff gal oz lb lbs ft yd mph am pm a.m p.m a.c d.c a.d b.c n.chr v.chr av dr.c jh jhdt st mio mrd tsd ph.d s.a s.p.a",
    "u.s u.k u.s.a e.u n.v b.v z.n a.u.b",
)
"""May end a sentence: they do if the next word is one that opens sentences."""

USUALLY_INSIDE = TITLES | NEVER_LAST | MAY_BE_LAST
"""Before a small letter these are abbreviations in the middle of a sentence."""

STARTERS = _set(
    "the he she it they we i you but and this that these those there here in on at if when then what why how who where",
    "so my his her its our your their a an for after before as not no yes all some many one now later however meanwhile",
    "der die das er sie es wir ich ihr ein eine einer aber und dann doch im am wenn was wie wer warum nun danach dort",
    "auch nach seit mit bei so heute jetzt",
    "le la les il elle ils elles nous vous je on mais et ce cette ces un une puis dans en si que qui c'est c'était",
    "l'homme j'ai j'étais après",
    "lo i gli ma e poi se che chi questo questa quello quella non dopo",
    "el los las pero y luego este esta él ella no después",
    "o os as um uma mas depois em não ele ela eles",
    "de het een hij zij ze maar toen als wat wie dit dat ik wij er daarna",
)
"""Words that open sentences far more often than they follow an abbreviation."""

MONTHS = _set(
    "january february march april may june july august september october november december",
    "januar jänner februar märz mai juni juli oktober dezember",
    "janvier février mars avril juin juillet août septembre octobre novembre décembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "enero febrero abril mayo junio julio septiembre octubre noviembre diciembre",
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro",
    "januari februari maart mei augustus jan feb mär apr jun jul aug sep sept oct okt nov dec dez",
)
"""After a number with a point they make it a date: `am 3. Oktober`."""

BEFORE_ORDINAL = _set(
    "am im vom zum zur beim seit bis ab der die das dem den des jeder jede jedes jeden jedem unser unsere ihr sein seine",
    "mein meine ein eine einen einem einer",
)
"""After them a number with a point is an ordinal: `der 3. Mann`."""

AFTER_ORDINAL = _set(
    "jahrhundert jahrhunderts jahrhunderte jahrtausend mal klasse etage stock stockwerk platz tag kapitel auflage",
    "geburtstag weltkrieg weltkriegs semester quartal halbjahr bundesliga liga armee bezirk woche runde teil akt",
)
"""Before these words a number with a point is an ordinal as well: `3. Kapitel`."""

CONJUNCTIONS = _set(
    "and but or nor because which that who whom whose when while where if although though so since unless until whereas",
    "than as before after",
    "und oder aber weil dass denn wenn während obwohl sondern sowie damit bevor nachdem als ob",
    "et mais ou parce donc car quand lorsque si puisque tandis qui que dont où",
    "ed ma o oppure perché che quando mentre se poiché anche dove affinché",
    "y e pero o u porque cuando mientras aunque sino donde como",
    "mas ou quando enquanto embora porém pois onde",
    "en maar of omdat dat want terwijl hoewel zodat toen wanneer als waar die",
)
"""A cut before them is less heard than one between other words."""

CLINGING = _set(
    "a an the of to in on at by for from with into my your his her its our their this that these those no not is are was",
    "be been have has had will would can could should may must do does did very and or but",
    "der die das dem den des ein eine einen einem einer eines zu von mit im am in an auf für bei nach aus ist und oder",
    "le la les l un une des du de d à au aux en dans sur pour par avec est et ou ne",
    "il lo i gli le uno una di del della dei da dal nel nella con per è e o non",
    "el los las un una de del al en con por para es y o no se",
    "o os as um uma do da dos das no na nos nas em com por é e ou não",
    "de het een van te op met voor bij aan uit is en of niet",
)
"""A cut right after them is heard most."""
