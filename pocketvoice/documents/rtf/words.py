"""Control words of RTF: what begins text that nobody reads, what stands for a sign, the numbers of languages."""

SKIPPED = frozenset({
    "colortbl", "listtable", "listoverridetable", "rsidtbl", "generator", "pict", "object", "themedata",
    "colorschememapping", "datastore", "latentstyles", "xmlnstbl", "header", "headerl", "headerr", "headerf",
    "footer", "footerl", "footerr", "footerf", "fldinst", "filetbl", "revtbl", "annotation", "atnid", "atnauthor",
    "bkmkstart", "bkmkend", "nonesttables", "pntxta", "pntxtb", "nonshppict", "sp", "shppict", "xe", "tc", "template",
    "operator", "comment", "doccomm", "userprops", "docvar", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "pgdsctbl",
    "mmathPr", "datafield", "formfield",
})  # fmt: skip
SIGNS = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "emspace": " ", "enspace": " ", "tab": " ", "~": "\xa0", "_": "-", "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
LANGUAGES = {
    1033: "en-US", 2057: "en-GB", 1031: "de-DE", 1036: "fr-FR", 1034: "es-ES", 3082: "es-ES", 1040: "it-IT", 1046: "pt-BR",
    2070: "pt-PT", 1043: "nl-NL", 1045: "pl-PL", 1049: "ru-RU", 1058: "uk-UA", 1041: "ja-JP", 2052: "zh-CN", 1042: "ko-KR",
}  # fmt: skip
