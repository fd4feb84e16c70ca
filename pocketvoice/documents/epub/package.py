"""The package file of an EPUB: what the book is called, which files it is made of and in which order they are read.

Books with locked content (DRM) are refused here; fonts that are only scrambled do not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import normpath

from pocketvoice.documents.archive import Archive
from pocketvoice.documents.document import Details
from pocketvoice.documents.faults import ProtectedDocumentError, damaged
from pocketvoice.documents.flow import collapsed
from pocketvoice.documents.xml import Element, attribute, children, descendants, first, parse_xml, text_of

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_SCRAMBLED_FONT = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_TEXT_TYPES = (
    "application/xhtml+xml",
    "text/html",
    "application/x-dtbook+xml",
    "text/x-oeb1-document",
    "application/xml",
)
_MOST_PACKAGE_BYTES = 16_000_000


@dataclass(frozen=True)
class Item:
    """A file of the book."""

    member: str
    """Its name in the archive."""
    media_type: str
    properties: frozenset[str]


@dataclass(frozen=True)
class Package:
    """What the package file says."""

    details: Details
    spine: tuple[str, ...]
    """Members that are read, in order, each once."""
    nav: str
    """The member with the table of contents of EPUB 3; empty if none."""
    ncx: str
    """The member with that of EPUB 2; empty if none."""
    cover: str
    """The member with the cover's picture, or with the page that shows it; empty if none."""


def read_package(archive: Archive) -> Package:
    """Reads the package file. Raises DocumentError if there is none, ProtectedDocumentError for locked books."""
    path = _package_path(archive)
    root = parse_xml(archive.read(path, _MOST_PACKAGE_BYTES), archive.name)
    items = dict(_items(archive, path, root))
    spine = _spine(root, items)
    _check_protection(archive, set(spine))
    if not spine and first(root, "itemref") is None:
        raise damaged(archive.name, "the EPUB names no file to read")
    toc = first(root, "spine")
    ncx = items.get(toc.get("toc", "")) if toc is not None else None
    ncx = ncx or next((one for one in items.values() if one.media_type == "application/x-dtbncx+xml"), None)
    nav = next((one for one in items.values() if "nav" in one.properties), None)
    cover = _cover(archive, path, root, items)
    return Package(_details(root), spine, nav.member if nav else "", ncx.member if ncx else "", cover)


def _package_path(archive: Archive) -> str:
    if _CONTAINER in archive:
        root = parse_xml(archive.read(_CONTAINER, _MOST_PACKAGE_BYTES), archive.name)
        for rootfile in descendants(root, "rootfile"):
            found = archive.find(normpath(rootfile.get("full-path", "").lstrip("/")))
            if found:
                return found
    found = next((name for name in archive.names if name.lower().endswith(".opf")), None)
    if found is None:
        raise damaged(archive.name, "the EPUB has no package file")
    return found


def _items(archive: Archive, path: str, root: Element) -> Iterator[tuple[str, Item]]:
    for item in descendants(root, "item"):
        member = archive.resolve(path, item.get("href", ""))
        if member:
            properties = frozenset(item.get("properties", "").split())
            yield item.get("id", ""), Item(member, item.get("media-type", ""), properties)


def _spine(root: Element, items: dict[str, Item]) -> tuple[str, ...]:
    """The members in reading order; one that is named twice is read once, so a spine can't loop."""
    linear: dict[str, None] = {}
    aside: dict[str, None] = {}
    for reference in descendants(root, "itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or not _is_text(item):
            continue
        target = aside if reference.get("linear") == "no" else linear
        target[item.member] = None
    return tuple(linear | {member: None for member in aside if member not in linear})


def _is_text(item: Item) -> bool:
    return item.media_type in _TEXT_TYPES or item.member.lower().endswith((".xhtml", ".html", ".htm", ".xml"))


def _details(root: Element) -> Details:
    titles = [collapsed(text_of(one)) for one in _metadata(root, "title")]
    authors = [one for one in _metadata(root, "creator") if _role(root, one) in ("", "aut")]
    language = next((text_of(one) for one in _metadata(root, "language")), "")
    language = "" if language in ("C", "und", "zxx", "mul") else language
    title = _main_title(root) or next(filter(None, titles), "")
    return Details(
        title, tuple(filter(None, (collapsed(text_of(one)) for one in authors))), language.replace("_", "-")
    )


def _metadata(root: Element, name: str) -> Iterator[Element]:
    for metadata in descendants(root, "metadata"):
        yield from descendants(metadata, name)


def _role(root: Element, creator: Element) -> str:
    """`aut` for authors, `trl` for translators and so on; empty if the book does not tell."""
    if said := attribute(creator, "role"):
        return said
    return _refined(root, creator, "role")


def _refined(root: Element, element: Element, name: str) -> str:
    wanted = "#" + element.get("id", "\0")
    refining = (one for one in _metadata(root, "meta") if one.get("refines") == wanted)
    return next((text_of(one) for one in refining if one.get("property") == name), "")


def _main_title(root: Element) -> str:
    mains = (one for one in _metadata(root, "title") if _refined(root, one, "title-type") == "main")
    return next((collapsed(text_of(one)) for one in mains), "")


def _cover(archive: Archive, path: str, root: Element, items: dict[str, Item]) -> str:
    for item in items.values():
        if "cover-image" in item.properties:
            return item.member
    for meta in _metadata(root, "meta"):
        if meta.get("name") == "cover" and (named := items.get(meta.get("content", ""))):
            return named.member
    for guide in descendants(root, "guide"):
        for reference in children(guide, "reference"):
            if reference.get("type") == "cover":
                return archive.resolve(path, reference.get("href", "")) or ""
    return ""


def _check_protection(archive: Archive, read: set[str]) -> None:
    """Refuses a book whose text is encrypted."""
    if "META-INF/sinf.xml" in archive or ("META-INF/rights.xml" in archive and _ENCRYPTION in archive):
        raise _protected(archive.name)
    if _ENCRYPTION not in archive:
        return
    root = parse_xml(archive.read(_ENCRYPTION, _MOST_PACKAGE_BYTES), archive.name)
    for data in root.iter("{*}EncryptedData"):
        method = next((one.get("Algorithm", "") for one in data.iter("{*}EncryptionMethod")), "")
        member = next((one.get("URI", "") for one in data.iter("{*}CipherReference")), "")
        if method not in _SCRAMBLED_FONT and archive.resolve("", member) in read:
            raise _protected(archive.name)


def _protected(name: str) -> ProtectedDocumentError:
    return ProtectedDocumentError(
        f"{name} is locked by its shop (DRM): only the shop's own programs can open it; get a copy without the lock."
    )
