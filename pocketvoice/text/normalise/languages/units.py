"""The names that most languages build their units from: prefixes and signs, so that a language lists only the words."""

from pocketvoice.text.normalise.languages.tables import Noun

_PREFIXED = {
    "m": ("km k", "cm c", "mm m", "μm μ", "nm n", "dm d"), "g": ("kg k", "mg m", "μg μ"), "l": ("ml m", "cl c", "dl d",
    "mL m", "cL c", "dL d", "hl h"),
    "s": ("ms m", "μs μ", "ns n"), "W": ("kW k", "MW M", "GW G", "TW T", "mW m"), "Wh": ("kWh k", "MWh M", "GWh G", "TWh T"),
    "V": ("kV k", "mV m", "mv m"), "A": ("mA m",),
    "Hz": ("kHz k", "MHz M", "GHz G"), "B": ("KB k", "kB k", "MB M", "GB G", "TB T", "PB P"), "J": ("kJ k", "MJ M"),
    "cal": ("kcal k",),
    "Pa": ("kPa k", "hPa h", "MPa M"), "Ω": ("kΩ k", "MΩ M"), "eV": ("keV k", "MeV M", "GeV G"), "bit/s": ("kbit/s k",
    "Mbit/s M", "Gbit/s G", "Mbps M", "Gbps G", "kbps k"), "mol": ("mmol m",),
}  # fmt: skip


def with_prefixes(units: dict[str, Noun], prefixes: dict[str, str]) -> dict[str, Noun]:
    """`units` and, for those that take them, kilo, mega, milli ... in front of their names, in this language's spelling."""
    found = dict(units)
    for base, signs in _PREFIXED.items():
        noun = units.get(base)
        for sign, prefix in (entry.split() for entry in signs):
            if noun and sign not in found:
                found[sign] = Noun(
                    _joined(prefixes[prefix], noun.one), _joined(prefixes[prefix], noun.many), noun.gender
                )
    return found


def _joined(prefix: str, name: str) -> str:
    """Kilogramm, not KiloGramm."""
    return prefix + (name.lower() if prefix[:1].isupper() else name)
