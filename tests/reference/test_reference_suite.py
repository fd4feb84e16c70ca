"""The reference package's own tests, run on pocketvoice through a small shim.

They come from its source distribution, which `packaging/test` fetches; nothing of them is in this project. What does not pass is
in `differences.tsv`, each with its reason; a test that is listed and passes is a mistake in the list.
"""

import csv
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
FETCHED = ROOT / "build" / "reference"


def listed() -> dict[str, str]:
    """Test -> why it does not pass."""
    with (HERE / "differences.tsv").open(encoding="utf-8", newline="") as file:
        return {row["test"]: row["reason"] for row in csv.DictReader(file, delimiter="\t")}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """Test -> whether it passed."""
    found = sorted(FETCHED.glob("pocket_tts-*/tests"))
    if not found:
        pytest.skip("The reference's source distribution was not fetched: packaging/test does that.")
    home, report = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("report") / "report.xml"
    nowhere = "http://127.0.0.1:9"  # nothing is fetched by these tests
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE / "shim"), str(ROOT)]),
        "HOME": str(home),
        "POCKETVOICE_DATA_DIR": str(home / "data"),
        "HF_HOME": str(home / "hub"),
        "HF_HUB_OFFLINE": "1",
        "http_proxy": nowhere,
        "https_proxy": nowhere,
        "no_proxy": "",
    }
    command = [sys.executable, "-m", "pytest", str(found[-1]), "-q", "--continue-on-collection-errors"]
    options = [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-c",
        os.devnull,
        f"--rootdir={found[-1]}",
        f"--junitxml={report}",
    ]
    done = subprocess.run(
        [*command, *options],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    cases = ET.parse(report).getroot().iter("testcase")
    return {f"{case.get('classname')}::{case.get('name')}": len(case) == 0 for case in cases}


def test_what_the_reference_tests_holds_here_too(outcomes: dict[str, bool]) -> None:
    reasons = listed()
    assert sorted(name for name, passed in outcomes.items() if not passed and name not in reasons) == []
    assert sum(outcomes.values()) >= 95


def test_the_list_of_differences_is_true(outcomes: dict[str, bool]) -> None:
    wrong = [name for name in listed() if outcomes.get(name, True)]
    assert wrong == [], "these pass, or are not there"
