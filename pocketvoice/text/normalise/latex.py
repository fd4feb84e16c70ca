"""LaTeX in a text: commands go, formulas become the signs that are read. Knows the commands of everyday papers.

Replacements on a TracedText; nothing is done where there is neither a backslash nor a pair of dollars.
"""

import re
from collections.abc import Sequence

from pocketvoice.text.traced import Part, TracedText

_SIGNS = {
    "times": "×", "cdot": "⋅", "div": "÷", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠",
    "approx": "≈",
    "infty": "∞", "to": "→", "rightarrow": "→", "sum": "∑", "int": "∫", "degree": "°", "ldots": "...", "dots": "...",
    "cdots": "...",
    "quad": " ", "qquad": " ", "%": "%", "&": "&", "$": "$", "#": "#", "_": " ", "sim": "∼", "circ": "°", "equiv": "≡",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip

_FORMULA = re.compile(r"\${1,2}(?=[^\s\d$]|\d{1,4}[a-z\\^_+=])([^$\n]{1,500}?)(?<=[^\s$])\${1,2}(?![\d\w])")
_LOOKS_LIKE_ONE = re.compile(r"[\\^_=+<>]|\A\w\Z")
_BRACKETED = re.compile(r"\\[()\[\]]")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]{1,60})\}\{([^{}]{1,60})\}")
_ROOT = re.compile(r"\\sqrt\{([^{}]{1,60})\}")
_SILENT = re.compile(
    r"\\(?:begin|end|label|ref|eqref|cite[tp]?|footnote|includegraphics|usepackage|documentclass|vspace|hspace|bibliography\w*)(?:\[[^\]]{0,80}\])?\{[^{}]{0,200}\}(?:\{[^{}]{0,80}\})?"
)
_STYLED = re.compile(r"\\(?:[a-zA-Z]{2,20})\*?\{([^{}]{0,300})\}")
_COMMAND = re.compile(r"\\([a-zA-Z]{2,20}|[%&$#_])(?![a-zA-Z])[ ]?")
_SUBSCRIPT = re.compile(r"(?<=[\wα-ω])_\{?([A-Za-z0-9]{1,6})\}?")
_BRACED_POWER = re.compile(r"\^\{([^{}]{1,20})\}")


def without_commands(traced: TracedText) -> TracedText:
    """The text with formulas as signs."""
    text = traced.text
    if "$" in text and ("\\" in text or text.count("$") > 1):
        traced = traced.sub(_FORMULA, _formula)
    if "\\" not in text:
        return traced
    if not _SILENT.search(text) and not _COMMAND.search(text) and not _BRACKETED.search(text):
        return traced
    if re.search(r"[A-Za-z]:\\", text):  # a path of Windows, not LaTeX
        return traced
    traced = traced.sub(_SILENT, ()).sub(_BRACKETED, ())
    for _ in range(3):  # commands stand in one another
        traced = (
            traced.sub(_FRACTION, (1, "⁄", 2))
            .sub(_ROOT, ("√", 1))
            .sub(_BRACED_POWER, ("^", 1))
            .sub(_STYLED, (1,))
        )
    traced = traced.sub(
        _COMMAND,
        lambda match: (
            (_SIGNS.get(match[1], ""), " ") if match[0].endswith(" ") else (_SIGNS.get(match[1], ""),)
        ),
        covering=True,
    )
    return traced.sub(_SUBSCRIPT, (" ", 1))


def _formula(match: re.Match[str]) -> Sequence[Part]:
    """Without its dollars, if it is one and not two prices."""
    if not _LOOKS_LIKE_ONE.search(match[1]):
        return (0,)
    return (1,)
