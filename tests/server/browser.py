"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol; as small as the tests need it."""

import base64
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import until

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "Space": " ",
    "Down": "\ue015",
}


def missing() -> str:
    """What is not installed; "" if all is there."""
    programs = ("chromium", "chromedriver")
    return ", ".join(name for name in programs if shutil.which(name) is None)


class Page:
    """A tab."""

    def __init__(self, driver: httpx.Client, session: str) -> None:
        self._driver = driver
        self._base = f"/session/{session}"

    def call(self, method: str, path: str, **body: Any) -> Any:
        """A command of the protocol."""
        json = body if method == "POST" else None
        answer = self._driver.request(method, f"{self._base}{path}", json=json).json()["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer["message"]
        return answer

    def open(self, url: str) -> None:
        """Goes to an address and waits for it."""
        self.call("POST", "/url", url=url)

    def run(self, script: str) -> Any:
        """The value of a script."""
        return self.call("POST", "/execute/sync", script=script, args=[])

    def element(self, selector: str) -> "Element":
        """The first one."""
        found = self.call("POST", "/element", using="css selector", value=selector)
        return Element(self, found[_ELEMENT])

    @property
    def focused(self) -> "Element":
        """The one that has the keyboard."""
        return Element(self, self.call("GET", "/element/active")[_ELEMENT])

    def press(self, *keys: str) -> None:
        """Keys together: the first ones are held."""
        codes = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": code} for code in codes]
        actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.call("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def until(self, script: str, timeout_s: float = 15) -> Any:
        """Waits until a script gives something true."""
        return until(
            lambda: self.run(f"return {script}"),
            timeout_s,
            lambda: f"{script} is not true; the page says {self.run(_STATE)}",
        )

    def picture(self, path: Path) -> None:
        """A screenshot."""
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def prefer(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call(
            "POST", "/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"features": features}
        )

    def log(self) -> list[str]:
        """What the browser complains of."""
        return [entry["message"] for entry in self.call("POST", "/se/log", type="browser")]


_STATE = 'return document.querySelector("#status")?.textContent + " / " + document.querySelector("#problem")?.textContent'


class Element:
    """Something on the page."""

    def __init__(self, page: Page, reference: str) -> None:
        self._page = page
        self._path = f"/element/{reference}"

    def get(self, what: str) -> Any:
        """ "text", "computedrole", "computedlabel", "attribute/NAME", "property/NAME"."""
        return self._page.call("GET", f"{self._path}/{what}")

    def click(self) -> None:
        """With the mouse."""
        self._page.call("POST", f"{self._path}/click")

    def write(self, text: str) -> None:
        """Types, instead of what stood there."""
        self._page.call("POST", f"{self._path}/clear")
        self._page.call("POST", f"{self._path}/value", text=text)


@contextmanager
def a_page(downloads: Path, **environment: str) -> Iterator[Page]:
    """A browser with one tab, its downloads in a folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["chromedriver", f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment or None,
    )
    arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={downloads / 'profile'}",
    ]
    options = {"args": arguments, "prefs": {"download.default_directory": str(downloads)}}
    wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as driver:
        try:
            _until_ready(driver)
            body = {"capabilities": {"alwaysMatch": wanted}}
            answer = driver.post("/session", json=body).json()["value"]
            assert "sessionId" in answer, answer
            page = Page(driver, answer["sessionId"])
            yield page
            page.call("DELETE", "")
        finally:
            process.terminate()
            process.wait(10)


def _until_ready(driver: httpx.Client) -> None:
    def is_ready() -> bool:
        try:
            return bool(driver.get("/status").json()["value"]["ready"])
        except httpx.TransportError:
            return False

    until(is_ready, 10, "chromedriver starts")
