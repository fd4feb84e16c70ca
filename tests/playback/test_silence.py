"""A device that asks for no sound is lost; a machine that gives nobody a turn has lost none."""

from pocketvoice.playback.silence import SilenceWatch

LIMIT_S = 0.8


def test_silent_device_is_lost_after_the_limit() -> None:
    watch = SilenceWatch()
    looks = [watch.is_lost(10.0 + 0.005 * step, 10.0, LIMIT_S) for step in range(200)]
    assert looks.index(True) * 0.005 >= LIMIT_S
    assert looks.index(True) * 0.005 < LIMIT_S + 0.02


def test_device_is_not_lost_while_nobody_has_a_turn() -> None:
    """Both threads stand still for seconds, and ours is the first to go on: the device asks a moment later."""
    watch = SilenceWatch()
    sign_at = now = 10.0
    for stall_s in (0.9, 1.5, 3.0, 0.9):
        for _ in range(20):
            now += 0.005
            assert not watch.is_lost(now, sign_at, LIMIT_S)
        now += stall_s
        assert not watch.is_lost(now, sign_at, LIMIT_S)
        sign_at = now


def test_device_that_died_in_a_stall_is_found_out() -> None:
    watch = SilenceWatch()
    assert not watch.is_lost(10.0, 10.0, LIMIT_S)
    assert not watch.is_lost(15.0, 10.0, LIMIT_S)
    assert any(watch.is_lost(15.0 + 0.005 * step, 10.0, LIMIT_S) for step in range(200))
