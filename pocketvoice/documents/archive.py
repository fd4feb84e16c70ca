"""Zip files (EPUB, DOCX, ODT, zipped FB2) without their traps: members are read in memory, to a limit, and never unpacked.

A member's name is only ever a key, so `../../etc/passwd` leads nowhere; a bomb is refused by what it claims and, if it
lies, by what comes out of it. Belongs to one reader.
"""

import struct
import zipfile
import zlib
from posixpath import normpath
from urllib.parse import unquote

from pocketvoice.documents.faults import DocumentError, ProtectedDocumentError, damaged, too_large
from pocketvoice.documents.source import MOST_TEXT_BYTES, Source

_MOST_MEMBERS = 50_000
_MOST_RATIO = 250  # text packs to a fifth; XML of office programs to a hundredth at times
_RATIO_MATTERS_BYTES = 4_000_000
_END_RECORD = b"PK\x05\x06"


class Archive:
    """The members of a zip file."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._check_directory(source)
        try:
            self._zip = zipfile.ZipFile(source.file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as exc:
            raise damaged(source.name, f"zip: {exc!r}") from exc
        self._members = {member.filename: member for member in self._zip.infolist()}
        self._folded = {name.casefold(): name for name in reversed(self._members)}

    @property
    def names(self) -> list[str]:
        """The members' names, in the order of the file."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def find(self, name: str) -> str | None:
        """The member that is called so, or so but for large and small letters."""
        return name if name in self._members else self._folded.get(name.casefold())

    def resolve(self, base: str, href: str) -> str | None:
        """The member that a link in the member `base` leads to; None if it leads out of the archive."""
        path = unquote(href.partition("#")[0].partition("?")[0])
        if not path or "://" in path:
            return None
        joined = path.lstrip("/") if path.startswith("/") else f"{base.rpartition('/')[0]}/{path}".lstrip("/")
        return self.find(normpath(joined))

    def size(self, name: str) -> int:
        """How many bytes the member claims to have."""
        return self._members[name].file_size

    def read(self, name: str, most: int = MOST_TEXT_BYTES) -> bytes:
        """The bytes of a member. Raises DocumentError if it is missing, damaged, encrypted or above `most`."""
        found = self.find(name)
        if found is None:
            raise damaged(self.name, f"no member {name}")
        member = self._members[found]
        if member.flag_bits & 1:
            raise ProtectedDocumentError(
                f"{self.name} is protected by a password: save it without one and open that file."
            )
        self._check_bomb(member, most)
        try:
            with self._zip.open(member) as file:
                data = file.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, NotImplementedError) as exc:
            raise damaged(self.name, f"{found}: {exc!r}") from exc
        if len(data) > most:
            raise too_large(self.name, most)
        return data

    def close(self) -> None:
        self._zip.close()

    def _check_bomb(self, member: zipfile.ZipInfo, most: int) -> None:
        if member.file_size > most:
            raise too_large(self.name, most)
        packed_well = member.file_size > _MOST_RATIO * max(member.compress_size, 1)
        if packed_well and member.file_size > _RATIO_MATTERS_BYTES:
            raise DocumentError(
                f"{self.name} unpacks to far more than a document holds: get it again from where you trust it.",
                detail=f"{member.filename}: {member.compress_size} bytes unpack to {member.file_size}",
            )

    def _check_directory(self, source: Source) -> None:
        """Refuses a directory of millions of members before it is read: that alone would take minutes."""
        source.file.seek(max(source.size - 66_000, 0))
        tail = source.file.read()
        at = tail.rfind(_END_RECORD)
        if at < 0 or len(tail) < at + 22:
            raise damaged(source.name, "zip: no end record")
        count, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
        if count == 0xFFFF or count > _MOST_MEMBERS or directory_bytes > 200 * _MOST_MEMBERS:
            raise DocumentError(f"{source.name} holds too many files for a document: check what it is.")
