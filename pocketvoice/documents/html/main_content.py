"""The main content of a web page: what a person came for, without menus, banners, shares, comments and cookies.

Takes things away rather than picking them out, since a manual of 1997 has no `<article>` and all of it is content: first
what says that it is no content, then lists of links; then, if the page names its main part, that part alone. Works on
the tree in place.
"""

import re
from collections import Counter
from collections.abc import Iterator

from pocketvoice.documents.html.elements import UNREAD, is_unread
from pocketvoice.documents.xml import Element, attribute, local

_UNWANTED_TAGS = {"nav", "menu", "dialog", "form", *UNREAD}
_UNWANTED_ROLES = {
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "complementary",
    "menu",
    "menubar",
    "dialog",
    "alert",
}
_UNWANTED_NAMES = re.compile(
    r"(?:^|[-_\s])(?:(?:doc-?)?nav(?:bar|igation|footer|header)?|menu|sidebar|side-?bar|breadcrumbs?|footer|masthead|cookies?|consent|"
    r"banner|advert(?:isement)?s?|ads?|sponsor(?:ed)?|promo|share|sharing|social|related(?:-?articles|-?posts|-?content)?|"
    r"recommend(?:ed|ations)|comments?(?:-?(?:list|section|area))?|disqus|newsletter|subscribe|signup|popup|modal|paywall|toolbar|"
    r"pagination|pager|sphinxsidebar|toc|catlinks|printfooter|navbox|vector-header|mw-navigation|siteSub|jump-to-nav|skip|"
    r"rst-footer-buttons|tagcloud|metabox|ambox|widget|trending|most-?read|outbrain|taboola)(?:$|[-_\s\d])",
    re.I,
)
_WANTED_NAMES = re.compile(r"article|body|content|entry|main|page|post|story|text|chapter|section", re.I)
_KEPT_TAGS = {"html", "body", "main", "article"}
_PAGING = re.compile(
    r"(?:[<>«»←→↑|\s\[\]]|\b(?:prev(?:ious)?|next|up|home|top|back|contents|index|zurück|weiter|hoch|précédent|suivant|sommaire|"
    r"anterior|siguiente|próximo|precedente|successivo|indietro|avanti|poprzedni|następny|назад|вперёд|далее|"
    r"上一页|下一页|前のページ|次のページ|戻る|次へ|前へ)\b\s*:?)+",
    re.I,
)
"""Names of links that turn pages."""
_TRUSTED_SHARE = 0.5
_LEAST_CHARS = 140


def main_content(root: Element) -> Element:
    """The element that holds the content, with what is no content taken out of it."""
    body = next((child for child in root if local(child) == "body"), root)
    whole = _length(body)
    for element in list(_unwanted(body)):
        # A page whose wrapper is called "content-with-sidebar" must not be lost to its name.
        if _certain(element) or _length(element) < 0.4 * whole or _link_share(element) > 0.6:
            _drop(element)
    for element in list(_link_lists(body)):
        _drop(element)
    for find in (_named_main, _dense_main):
        if (found := find(body)) is not None:
            return found
    return body


def _unwanted(body: Element) -> Iterator[Element]:
    """The outermost elements that say they are no content."""
    todo = [body]
    while todo:
        element = todo.pop()
        if element is not body and _is_unwanted(element):
            yield element
        else:
            todo += element


def _is_unwanted(element: Element) -> bool:
    tag = local(element)
    if not tag:
        return False
    if tag in _UNWANTED_TAGS or is_unread(element, tag) or element.get("role") in _UNWANTED_ROLES:
        return True
    if tag in ("header", "footer", "aside"):
        return tag != "header" or not _holds_title(element)
    names = f"{element.get('class', '')} {attribute(element, 'id')}"
    if (
        tag in _KEPT_TAGS
        or not names.strip()
        or tag in ("p", "h1", "h2", "a", "span", "li", "td", "code", "pre")
    ):
        return False
    found = _UNWANTED_NAMES.search(names)
    return found is not None and not _WANTED_NAMES.search(names.replace(found[0], " "))


def _certain(element: Element) -> bool:
    return local(element) in UNREAD or is_unread(element, local(element))


def _holds_title(header: Element) -> bool:
    """True for the head of an article: it holds the heading, and no menu of links."""
    return any(local(inner) in ("h1", "h2") for inner in header.iter()) and _link_share(header) < 0.5


def _link_lists(body: Element) -> Iterator[Element]:
    """Lists and boxes of short links: menus that do not say so. A table of contents inside the text is one too."""
    for element in body.iter("{*}ul", "{*}ol", "{*}div", "{*}table", "{*}td", "{*}dl", "{*}p"):
        links = [link for link in element.iter("{*}a") if link.get("href")]
        if _turns_pages(element, links):
            yield element
        if len(links) < 4 or any(local(inner) in ("p", "h1", "table", "pre") for inner in element.iter()):
            continue
        length = _length(element)
        if _link_share(element) > 0.85 and length < 40 * len(links):
            yield element


def _turns_pages(element: Element, links: list[Element]) -> bool:
    """True for a bar of links to the page before and the page after."""
    if not 2 <= len(links) <= 12 or _length(element) > 300:
        return False
    said = ["".join(link.itertext()).strip() for link in links]
    paging = sum(_PAGING.fullmatch(text) is not None for text in said)
    relations = {str(link.get("rel", "")) for link in links} | {
        str(link.get("accesskey", "")) for link in links
    }
    return paging >= 2 or len(relations & {"next", "prev", "up", "n", "p", "u"}) >= 2


def _named_main(body: Element) -> Element | None:
    """The part that the page names as its main one, if most of the text is in it."""
    whole = max(_length(body), 1)
    for find in (_by_role, _by_article, _by_id):
        found = find(body)
        if found is None or _length(found) < max(_TRUSTED_SHARE * whole, _LEAST_CHARS):
            continue
        if not _loses_title(body, found):
            return found
    return None


def _by_role(body: Element) -> Element | None:
    return next((one for one in body.iter() if local(one) == "main" or one.get("role") == "main"), None)


def _by_article(body: Element) -> Element | None:
    articles = [one for one in body.iter() if local(one) == "article"]
    return articles[0] if len(articles) == 1 else None


def _by_id(body: Element) -> Element | None:
    wanted = ("content", "main", "main-content", "mw-content-text", "bodyContent", "article", "post")
    return next((one for one in body.iter() if attribute(one, "id") in wanted), None)


def _dense_main(body: Element) -> Element | None:
    """The element that most of the page's running text stands in, if the page is made of boxes around it."""
    scores: Counter[Element] = Counter()
    paragraphs = [one for one in body.iter() if local(one) in ("p", "blockquote", "pre")]
    for paragraph in paragraphs:
        length = _length(paragraph)
        if length < 25 or (parent := paragraph.getparent()) is None:
            continue
        score = 1 + min(length // 100, 5) + sum("".join(paragraph.itertext()).count(mark) for mark in ",，、")
        scores[parent] += score
        if (above := parent.getparent()) is not None:
            scores[above] += score // 2
    ranked = [(score * (1 - _link_share(one)), one) for one, score in scores.most_common(5)]
    best = max(ranked, key=lambda pair: pair[0], default=(0.0, None))[1]
    if best is None or best is body or _length(best) < 0.75 * max(_length(body), 1):
        return None
    return None if _loses_title(body, best) else best


def _loses_title(body: Element, part: Element) -> bool:
    """True if the page's one title stands outside of the part."""
    titles = list(body.iter("{*}h1"))
    return len(titles) == 1 and not any(one is titles[0] for one in part.iter("{*}h1"))


def _length(element: Element) -> int:
    return sum(len(piece.strip()) for piece in element.itertext())


def _link_share(element: Element) -> float:
    """How much of the text is links, 0 to 1."""
    linked = sum(_length(link) for link in element.iter("{*}a") if link.get("href"))
    return linked / max(_length(element), 1)


def _drop(element: Element) -> None:
    """Takes the element out; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)
