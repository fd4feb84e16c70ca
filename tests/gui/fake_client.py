"""A worker that does nothing but talk: the real messages, in the order a real worker sends them.

A LoadModel and a Speak wait for the test to move on (`be_ready`, `begin`, `hear`, `finish`), so that every state can be looked at.
Sentences are split at full stops; a second has fifteen letters. A test may make the next request fail.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from pocketvoice.gui.controllers.worker import RunningRequest, Worker
from pocketvoice.worker.messages import (
    CloneVoice,
    DeviceEntry,
    DeviceName,
    Devices,
    ErrorInfo,
    Event,
    Export,
    ExportProgress,
    Failed,
    Finished,
    Level,
    ListDevices,
    Loading,
    LoadModel,
    Pause,
    PausedChanged,
    PlayFile,
    Position,
    Preview,
    Queued,
    Ready,
    Request,
    Resume,
    Seek,
    SeekTo,
    SentenceStarted,
    SetDevice,
    SetSpeed,
    SetVolume,
    Span,
    Speak,
    Started,
    StateChanged,
    Stats,
    Stopped,
    Terminal,
    WorkerState,
)

LETTERS_A_SECOND = 15.0
READY = Ready(
    request_id="",
    model_id="english-0123abcd",
    language="english",
    precision="int8",
    sample_rate=24000,
    cloning=False,
    cloning_reason="The public weights are loaded.",
    default_voice="alba",
    real_time_factor=4.2,
)
OFFLINE = ErrorInfo(
    "OfflineError",
    "The model english is not on this computer and the network can't be reached: go online once, or choose another model.",
    "GET https://example.invalid: name resolution failed",
)


class FakeHandle(RunningRequest):
    def __init__(self, client: "FakeClient", request_id: str) -> None:
        self.request_id = request_id
        self._client = client
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._end: asyncio.Future[Terminal] = asyncio.get_event_loop().create_future()

    def put(self, event: Event) -> None:
        assert not self.done, f"{event} after the end of {self.request_id}"
        self._events.put_nowait(event)
        self._client.tell(event)
        if isinstance(event, Terminal):
            self._end.set_result(event)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Terminal):
                return

    async def result(self) -> Terminal:
        return await asyncio.shield(self._end)

    @property
    def done(self) -> bool:
        return self._end.done()

    async def stop(self) -> Terminal:
        self._client.requests.append(("stop", self.request_id))
        if not self.done and not self._client.frozen:
            self.put(Stopped(self.request_id, self._client.heard_sentence(self)))
        return await self.result()


class FakeClient(Worker):
    def __init__(self, options: Any = None) -> None:
        self.state = WorkerState.STOPPED
        self.ready: Ready | None = None
        self.requests: list[tuple[Any, ...]] = []
        self.handles: dict[str, FakeHandle] = {}
        self.fails: dict[str, ErrorInfo] = {}  # kind of request -> how it fails, once
        self.frozen = False
        self.speech: FakeHandle | None = None
        self.load: FakeHandle | None = None
        self.exports: list[FakeHandle] = []
        self.sounds: list[FakeHandle] = []  # files being played; a test ends them
        self.clones: list[tuple[FakeHandle, str]] = []  # and the files they are to write
        self.sentences: list[Span] = []
        self.index = 0
        self.text = ""
        self._listeners: list[Callable[[Event], None]] = []

    # ------------------------------------------------------------ what a test does

    def tell(self, event: Event) -> None:
        for listener in list(self._listeners):
            listener(event)

    def change(self, new: WorkerState, sentence: str = "") -> None:
        old, self.state = self.state, new
        self.tell(StateChanged("", old, new, sentence))

    def download(self, done: int, total: int = 219_000_000) -> None:
        assert self.load is not None
        self.load.put(Loading(self.load.request_id, "model.safetensors", done, total, 2.3e6))

    def be_ready(self, ready: Ready = READY) -> None:
        assert self.load is not None
        self.ready = ready
        self.tell(ready)
        self.load.put(Finished(self.load.request_id))
        self.load = None
        self.change(WorkerState.IDLE)
        if self.speech is not None:
            self.begin()

    def begin(self) -> None:
        assert self.speech is not None
        self.speech.put(Started(self.speech.request_id, tuple(self.sentences)))
        self.enter(self.index)

    def enter(self, index: int) -> None:
        assert self.speech is not None
        self.index = index
        self.speech.put(SentenceStarted(self.speech.request_id, self.sentences[index], index))
        self.hear(self.sentences[index][0])

    def hear(self, source: int) -> None:
        assert self.speech is not None
        total = (self.sentences[-1][1] - self.sentences[0][0]) / LETTERS_A_SECOND
        heard = (source - self.sentences[0][0]) / LETTERS_A_SECOND
        span = self.sentences[self.index]
        self.speech.put(Position(self.speech.request_id, span, source, heard, total, total - heard, 5.0))
        self.speech.put(Level(self.speech.request_id, -8.0, -19.0))

    def finish(self) -> None:
        assert self.speech is not None
        speech, self.speech = self.speech, None
        speech.put(Finished(speech.request_id, Stats(10.0, 2.0, 0.1, 0)))

    def fail_speech(self, error: ErrorInfo) -> None:
        assert self.speech is not None
        speech, self.speech = self.speech, None
        speech.put(Failed(speech.request_id, error, self.sentences[self.index][0]))

    def heard_sentence(self, handle: FakeHandle) -> int | None:
        if handle is not self.speech:
            return None
        self.speech = None
        return self.sentences[self.index][0] if self.sentences else None

    # ------------------------------------------------------------ the client

    async def __aenter__(self) -> "FakeClient":
        self.change(WorkerState.STARTING)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self, timeout_s: float = 2.0) -> None:
        for handle in self.handles.values():
            if not handle.done:
                handle.put(Stopped(handle.request_id))
        self.change(WorkerState.STOPPED)

    async def restart(self) -> None:
        self.requests.append(("restart",))
        self.change(WorkerState.STARTING)

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def send(self, request: Request) -> FakeHandle:
        match request:
            case LoadModel():
                return self._load_model(request)
            case Speak():
                return await self._speak(request)
            case Export():
                return self._export(request)
            case Seek():
                return self._seek(request.to)
            case ListDevices():
                return self._list_devices()
            case PlayFile(path=path, start_s=start_s, stop_s=stop_s):
                handle = self._handle("play_file", path, {"start_s": start_s, "stop_s": stop_s})
                self.sounds += [] if handle.done else [handle]
                return handle
            case CloneVoice(source=source, path=path):
                handle = self._handle("clone_voice", source, path)
                self.clones += [] if handle.done else [(handle, path)]
                return handle
            case Pause() | Resume():
                return self._hold(isinstance(request, Pause))
            case Preview(voice=voice, text=text):
                return self._at_once("preview", voice, text)
            case SetSpeed(speed=speed):
                return self._at_once("set_speed", speed)
            case SetVolume(volume=volume):
                return self._at_once("set_volume", volume)
            case SetDevice(device=device):
                return self._at_once("set_device", device)
        raise AssertionError(f"the window never asked for {request} before")

    async def stop(self) -> FakeHandle:
        if self.speech is not None:
            await self.speech.stop()
        return self._at_once("stop_all")

    # ------------------------------------------------------------ inside

    def _load_model(self, request: LoadModel) -> FakeHandle:
        handle = self._handle("load_model", request.language, request.voice)
        if not handle.done:
            self.load = handle
            self.change(WorkerState.LOADING)
        return handle

    async def _speak(self, request: Speak) -> FakeHandle:
        if self.speech is not None:
            await self.speech.stop()
        options = {"voice": request.voice, "start": request.start, "stop": request.stop, "seed": request.seed}
        options["names_emoji"] = request.names_emoji
        handle = self._handle("speak", request.text, options)
        if handle.done:
            return handle
        spans = [match.span() for match in re.finditer(r"\S[^.!?]*[.!?]*", request.text)]
        self.text, self.sentences, self.speech = request.text, spans, handle
        start = max(request.start, spans[0][0])
        self.index = max(index for index, span in enumerate(spans) if span[0] <= start)
        if self.ready is None:
            handle.put(Queued(handle.request_id, 0, True))
        elif not self.frozen:
            self.begin()
        return handle

    def _export(self, request: Export) -> FakeHandle:
        options = {"voice": request.voice, "speed": request.speed, "seed": request.seed}
        options["names_emoji"] = request.names_emoji
        handle = self._handle("export", request.text, request.path, options)
        if not handle.done:
            self.exports.append(handle)
            handle.put(ExportProgress(handle.request_id, 0.5, 1.0))
        return handle

    def _hold(self, paused: bool) -> FakeHandle:
        self.tell(PausedChanged(self.speech.request_id if self.speech else "", paused))
        return self._at_once("pause" if paused else "resume")

    def _seek(self, to: int | SeekTo) -> FakeHandle:
        handle = self._handle("seek", to)
        if self.speech is None:
            handle.put(Failed(handle.request_id, ErrorInfo("InputError", "Nothing is spoken.")))
        elif not handle.done:
            self._move(to)
            handle.put(Finished(handle.request_id))
        return handle

    def _list_devices(self) -> FakeHandle:
        handle = self._handle("list_devices")
        entries = (
            DeviceEntry(DeviceName("Headphones", "ALSA"), True),
            DeviceEntry(DeviceName("HDMI", "ALSA"), False),
        )
        handle.put(Devices(handle.request_id, entries))
        handle.put(Finished(handle.request_id))
        return handle

    def _move(self, to: int | SeekTo) -> None:
        last = len(self.sentences) - 1
        if to is SeekTo.NEXT and self.index == last:
            self.finish()
        elif isinstance(to, SeekTo):
            self.enter(min(max(self.index + (1 if to is SeekTo.NEXT else -1), 0), last))
        else:
            self.enter(max(index for index, span in enumerate(self.sentences) if span[0] <= to or index == 0))

    def _handle(self, kind: str, *arguments: Any) -> FakeHandle:
        self.requests.append((kind, *arguments))
        request_id = f"{kind}-{len(self.requests)}"
        handle = self.handles[request_id] = FakeHandle(self, request_id)
        error = self.fails.pop(kind, None)
        if error is not None:
            handle.put(Failed(request_id, error))
        return handle

    def _at_once(self, kind: str, *arguments: Any) -> FakeHandle:
        handle = self._handle(kind, *arguments)
        if not handle.done:
            handle.put(Finished(handle.request_id))
        return handle
