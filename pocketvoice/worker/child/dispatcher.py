"""Keeps the engine at what is wanted most: asks the scheduler, makes the job, breaks off what is wanted less. Main loop only."""

import time

from pocketvoice.worker.child import scheduler
from pocketvoice.worker.child.background_jobs import BackgroundJobs
from pocketvoice.worker.child.engine_thread import EngineThread
from pocketvoice.worker.child.jobs.job import Job, Send
from pocketvoice.worker.child.jobs.load import Load
from pocketvoice.worker.child.jobs.speak import SpeakOn
from pocketvoice.worker.child.jobs.synthesis import SynthesizeOn
from pocketvoice.worker.child.scheduler import Demand, Kind, Work
from pocketvoice.worker.child.speech_queue import QueuedSpeech
from pocketvoice.worker.child.speech_session import SpeechSession
from pocketvoice.worker.messages import LoadModel


class Dispatcher:
    """Between all that is wanted and the engine, which does one thing at a time."""

    def __init__(
        self, engine: EngineThread, session: SpeechSession, background: BackgroundJobs, send: Send
    ) -> None:
        self.load: LoadModel | None = None
        """The model that is being loaded, or waits for that."""
        self.is_loaded = False
        """Whether there is a model."""
        self._engine = engine
        self._session = session
        self._background = background
        self._send = send  # progress of a load; from the engine's thread

    def assign(self) -> None:
        """Gives the engine something to do, or has it leave what it is at."""
        job, demand = self._engine.job, self._demand()
        if job is None:
            work = scheduler.next_work(demand)
            wanted = None if work is None else self._job(work)
            if wanted is not None:
                self._engine.begin(wanted)
        elif not job.stop.is_set() and scheduler.must_leave(job.work, demand):
            job.stop.set()
        elif isinstance(job, SynthesizeOn) and scheduler.turn_is_over(job.work, demand):
            job.leave.set()

    def redirect(self) -> None:
        """After a seek: the engine leaves what it is making, if what is wanted now is something else."""
        job, speech = self._engine.job, self._session.queue.current
        if speech is None or speech.store is None or not isinstance(job, SpeakOn) or job.speech is not speech:
            return
        missing, writing = speech.store.missing_from(speech.store.near()), speech.store.writing()
        if missing is not None and writing not in (None, missing):
            job.stop.set()

    def break_off(self) -> None:
        """The engine leaves what it is at, whatever that is."""
        if self._engine.job is not None:
            self._engine.job.stop.set()

    def _demand(self) -> Demand:
        """What is wanted of the engine now."""
        background = self._background
        speech = self._speech_to_make() if self.is_loaded else None
        return Demand(
            load=None if self.load is None else self.load.request_id,
            is_loaded=self.is_loaded,
            speeches=tuple(one.request_id for one in self._session.queue),
            speech=None if speech is None else speech.request_id,
            clones=background.of(Kind.CLONE),
            turns=background.turns(),
            exports=background.of(Kind.EXPORT),
            last_turn_was_new=background.last_turn_was_new,
            now_s=time.monotonic(),
        )

    def _speech_to_make(self) -> QueuedSpeech | None:
        """The first of the current speech and the next one that needs sound."""
        job = self._engine.job
        for index, speech in enumerate(list(self._session.queue)[:2]):
            is_being_made = isinstance(job, SpeakOn) and job.speech is speech
            if speech.needs_sound(is_next=index > 0, is_being_made=is_being_made):
                return speech
        return None

    def _job(self, work: Work) -> Job | None:
        """What the engine's thread does for it; None if there turns out to be nothing."""
        if work.kind is Kind.LOAD:
            assert self.load is not None, "a load is wanted"
            return Load(self.load, self._send)
        if work.kind is Kind.SPEAK:
            return self._speak_on(work.request_id)
        return self._background.job(work)

    def _speak_on(self, request_id: str) -> Job | None:
        """At the first missing segment; None if a part of the text turns out to hold nothing to speak."""
        speech = next(one for one in self._session.queue if one.request_id == request_id)
        assert speech.store is not None, "a speech that needs sound was prepared"
        segments = self._session.to_make(speech, speech.store)
        return SpeakOn(speech, speech.store, segments) if segments else None
