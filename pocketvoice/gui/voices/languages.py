"""Names of languages, for people. Knows no voices."""

from PySide6.QtCore import QLocale


def language_title(code: str) -> str:
    """The English name of a language ("English" for "en"), the code itself if Qt does not know it; "" for ""."""
    if not code:
        return ""
    language = QLocale.codeToLanguage(code)
    return QLocale.languageToString(language) if language != QLocale.Language.AnyLanguage else code
