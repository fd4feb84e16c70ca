"""A file manager, as small as can be: a window from which one file can be dragged. `python dragger.py FILE X Y`."""

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

SIDE_PX = 120


class Source(QWidget):
    """Drags its file away."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self.setWindowFlag(Qt.WindowType.X11BypassWindowManagerHint)
        self.setFixedSize(SIDE_PX, SIDE_PX)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """With the button held down."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(self._path)])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        print("dropped", flush=True)


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    source = Source(sys.argv[1])
    source.move(int(sys.argv[2]), int(sys.argv[3]))
    source.show()
    print("ready", flush=True)
    application.exec()
