"""Which version a worker process is."""

from __future__ import annotations

import pytest
from temporalio.common import VersioningBehavior

from pointsman.deployment import Deployment, WorkerSettings
from pointsman.sentences import ConfigurationError
from tests.workflows.conftest import configuration
from workers.settings import Settings
from workers.wiring import versioned


@pytest.mark.parametrize(
    ("settings", "environ", "version"),
    [
        ({}, {}, None),
        ({}, {"POINTSMAN_BUILD_ID": ""}, None),
        ({}, {"POINTSMAN_BUILD_ID": "1.2"}, ("pointsman", "1.2")),
        ({"deployment": "ask", "build_id": "1"}, {}, ("ask", "1")),
        ({"deployment": "ask", "build_id": "1"}, {"POINTSMAN_BUILD_ID": "2"}, ("ask", "2")),
        ({"build_id": "1"}, {"POINTSMAN_DEPLOYMENT": "other"}, ("other", "1")),
    ],
)
def test_a_build_id_makes_a_version_and_a_variable_beats_the_table(
    settings: dict[str, str], environ: dict[str, str], version: tuple[str, str] | None
) -> None:
    found = Deployment.of(WorkerSettings.model_validate(settings), environ)
    assert found == (None if version is None else Deployment(*version))


@pytest.mark.parametrize(
    ("settings", "environ", "said"),
    [
        ({"deployment": "ask"}, {}, "worker.build_id: missing beside the deployment 'ask'; set POINTSMAN_BUILD_ID"),
        ({}, {"POINTSMAN_DEPLOYMENT": "ask"}, "worker.build_id: missing beside the deployment 'ask'"),
        ({}, {"POINTSMAN_BUILD_ID": "a b"}, "POINTSMAN_BUILD_ID: 'a b' is no name; give letters"),
        ({}, {"POINTSMAN_BUILD_ID": "1", "POINTSMAN_DEPLOYMENT": "a.b"}, "POINTSMAN_DEPLOYMENT: 'a.b' is no name"),
    ],
)
def test_a_version_that_cannot_be_is_said_in_a_sentence(
    settings: dict[str, str], environ: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Deployment.of(WorkerSettings.model_validate(settings), environ)
    assert str(refused.value).startswith(said)


def test_every_worker_of_a_process_has_its_version_and_without_one_none() -> None:
    config = versioned(Settings(configuration(), {}, Deployment("pointsman", "1.2")))
    assert config is not None
    assert config.use_worker_versioning
    assert config.version.to_canonical_string() == "pointsman.1.2"
    assert config.default_versioning_behavior is VersioningBehavior.PINNED
    assert versioned(Settings(configuration(), {})) is None
