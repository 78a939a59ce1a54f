"""What others install: the wheel holds the library alone, and it works in another environment and folder."""

from __future__ import annotations

import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, Site, environment, run


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = run(build, environment({}))
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that holds the wheel; its dependencies are the ones installed here."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    done = run([*pip, str(wheel)], environment({}))
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def _borrowing(site: Site | None = None) -> dict[str, str]:
    # A folder on PYTHONPATH brings its packages and not its .pth files, through which this checkout is importable.
    changes: dict[str, str | None] = {"PYTHONPATH": sysconfig.get_path("purelib")}
    return environment(changes) if site is None else site.environment(changes)


def test_the_wheel_holds_the_library_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"pointsman", "pointsman-0.1.0.dist-info"}
    assert "pointsman/py.typed" in names
    library = (ROOT / "pointsman").rglob("*")
    files = {path.relative_to(ROOT).as_posix() for path in library if path.suffix in {".py", ".json", ".jsonl"}}
    assert files <= set(names)
    assert "pointsman/classification_model.json" in names


def test_the_client_is_imported_from_the_wheel_without_the_application(installed: Path, tmp_path: Path) -> None:
    program = (
        "import importlib.util, pointsman; from pointsman import RouterClient; import pointsman.testing; "
        "print(pointsman.__file__, [n for n in ('workflows', 'activities', 'workers') if importlib.util.find_spec(n)])"
    )
    ended = run([str(installed / "python"), "-c", program], _borrowing(), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    path, _, application = ended.stdout.strip().partition(" ")
    assert Path(path).is_relative_to(installed.parent)
    assert application == "[]"


def test_the_command_of_the_wheel_asks_from_another_folder(pointsman: Site, installed: Path, tmp_path: Path) -> None:
    command = str(installed / "pointsman")
    told = run([command, "--help"], _borrowing(), cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert "Usage: pointsman" in told.stdout
    asked = run([command, "ask", "What is 1 + 1?"], _borrowing(pointsman), cwd=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("ok\n")
