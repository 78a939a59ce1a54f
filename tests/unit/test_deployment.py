"""The deployment files: no container engine runs in tests, so what they name is checked against the repository."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from temporalio.envconfig import ClientConfig

from pointsman.checks import missing_keys, warnings
from pointsman.config_file import CONFIG_VARIABLE, load
from pointsman.configuration import Configuration
from pointsman.telemetry.settings import TelemetrySettings
from tests.listening import listens
from tests.observed import everything_asked
from tests.promql import selected
from workers.telemetry.surroundings import telemetry_here

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
ROUTER = ROOT / "config" / "router.toml"
TEMPORAL = ROOT / "config" / "temporal.toml"
COPIED = {"pointsman", "workflows", "activities", "workers", "config"}
DRAIN_MARGIN_S = 5.0
OTLP_GRPC, LOOKED_AT = 4317, 16686


@pytest.fixture
def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return document


@pytest.fixture
def worker(compose: dict[str, Any]) -> dict[str, Any]:
    service: dict[str, Any] = compose["services"]["worker"]
    return service


def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


@pytest.fixture
def router() -> Configuration:
    return load(ROUTER)


def _instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def _given(instruction: str) -> list[str]:
    return [arguments for word, arguments in _instructions() if word == instruction]


def _copied() -> list[str]:
    return [arguments.split()[0] for arguments in _given("COPY")]


def _is_pinned(image: str) -> bool:
    _, _, tag = image.rpartition("/")[2].partition(":")
    return bool(re.search(r"\d+\.\d+", tag))


def test_every_service_is_built_here_or_has_an_image_with_a_version(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert "build" in service or _is_pinned(service["image"]), name


def test_every_service_that_another_waits_for_can_tell_that_it_is_healthy(compose: dict[str, Any]) -> None:
    services = compose["services"]
    waited_for = [
        (other, condition["condition"])
        for service in services.values()
        for other, condition in service.get("depends_on", {}).items()
    ]
    assert waited_for
    for other, condition in waited_for:
        assert condition == "service_healthy"
        assert services[other]["healthcheck"]["test"]


def test_the_worker_waits_for_temporal_and_temporal_for_its_database(compose: dict[str, Any]) -> None:
    assert "temporal" in compose["services"]["worker"]["depends_on"]
    assert "postgresql" in compose["services"]["temporal"]["depends_on"]


def test_the_worker_is_told_where_temporal_and_its_configuration_are(
    compose: dict[str, Any], worker: dict[str, Any]
) -> None:
    assert listens(compose, worker["environment"]["TEMPORAL_ADDRESS"])
    assert (ROOT / worker["environment"][CONFIG_VARIABLE]).resolve() == ROUTER


def test_the_worker_gets_every_key_of_its_configuration_from_the_shell(
    worker: dict[str, Any], router: Configuration
) -> None:
    wanted = {provider.api_key_env for provider in router.providers.values()} - {None}
    passed_on = {name for name, value in worker["environment"].items() if value is None}
    assert passed_on == wanted


def test_the_worker_has_longer_to_end_than_it_drains(worker: dict[str, Any], router: Configuration) -> None:
    grace_s = float(worker["stop_grace_period"].removesuffix("s"))
    timeouts = [provider.timeout_s for provider in router.providers.values()]
    timeouts += [route.timeout_s for route in router.tables().values() if route.timeout_s is not None]
    assert grace_s > max(timeouts) + DRAIN_MARGIN_S


def test_ports_are_open_to_this_machine_only(compose: dict[str, Any]) -> None:
    ports = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_open_port_leads_to_one_that_its_service_listens_at(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        for port in service.get("ports", []):
            assert listens(compose, f"{name}:{port.rpartition(':')[2]}"), (name, port)


def test_temporal_its_ui_and_its_check_name_ports_that_are_listened_at(compose: dict[str, Any]) -> None:
    services = compose["services"]
    told = services["temporal"]["environment"]
    assert listens(compose, f"{told['POSTGRES_SEEDS']}:{told['DB_PORT']}")
    assert listens(compose, services["temporal-ui"]["environment"]["TEMPORAL_ADDRESS"])
    check = services["temporal"]["healthcheck"]["test"][-1]
    assert listens(compose, re.findall(r"--address (\S+)", check)[0])


def test_every_file_that_a_service_is_given_exists(compose: dict[str, Any]) -> None:
    mounts = [mount for service in compose["services"].values() for mount in service.get("volumes", [])]
    given = [mount.split(":") for mount in mounts if mount.startswith("./")]
    assert len(given) >= 5
    for source, _, mode in given:
        assert (ROOT / source).exists(), source
        assert mode == "ro"
    named = {mount.partition(":")[0] for mount in mounts if not mount.startswith("./")}
    assert named == set(compose["volumes"])


def test_prometheus_reads_each_worker_where_itlistens(compose: dict[str, Any], worker: dict[str, Any]) -> None:
    config = _document(DEPLOY / "prometheus" / "prometheus.yml")
    (scraped,) = config["scrape_configs"]
    (found,) = scraped["dns_sd_configs"]
    settings = telemetry_here(TelemetrySettings(), worker["environment"])
    assert settings.listen_at is not None
    assert found["port"] == settings.listen_at.first
    assert set(found["names"]) <= set(compose["services"])
    for name in config["rule_files"]:
        assert (DEPLOY / "prometheus" / name).is_file()
        assert f"./deploy/prometheus/{name}:/etc/prometheus/{name}:ro" in compose["services"]["prometheus"]["volumes"]


def test_workers_send_to_the_collector_and_it_sends_to_a_service_that_is_there(
    compose: dict[str, Any], worker: dict[str, Any]
) -> None:
    settings = telemetry_here(TelemetrySettings(), worker["environment"])
    assert settings.otlp_endpoint is not None
    endpoint = urlsplit(settings.otlp_endpoint)
    assert listens(compose, endpoint.netloc)
    config = _document(DEPLOY / "otel-collector.yml")
    assert config["receivers"]["otlp"]["protocols"]["http"]["endpoint"].endswith(f":{endpoint.port}")
    exported = config["exporters"]["otlp"]["endpoint"]
    assert listens(compose, exported)
    assert exported.endswith(f":{OTLP_GRPC}")  # what the exporter of this name speaks
    pipelines = config["service"]["pipelines"]
    assert set(pipelines) == {"traces", "metrics"}
    for pipeline in pipelines.values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(config[kind])


def test_the_worker_tells_all_that_the_dashboard_shows(worker: dict[str, Any]) -> None:
    shown = {metric.name for asked in everything_asked() for metric in selected(asked.expr)}
    assert any(name.startswith("temporal_") for name in shown)
    assert telemetry_here(TelemetrySettings(), worker["environment"]).sdk_metrics


def test_grafana_is_provisioned_with_the_dashboard_and_with_sources_that_are_there(compose: dict[str, Any]) -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    sources = _document(provisioning / "datasources" / "pointsman.yml")["datasources"]
    assert {source["type"] for source in sources} == {"prometheus", "jaeger"}
    for source in sources:
        assert listens(compose, urlsplit(source["url"]).netloc), source["url"]
    assert [urlsplit(source["url"]).port for source in sources if source["type"] == "jaeger"] == [LOOKED_AT]
    (provider,) = _document(provisioning / "dashboards" / "pointsman.yml")["providers"]
    mounted = dict(mount.split(":")[:2] for mount in compose["services"]["grafana"]["volumes"])
    assert mounted == {
        "./deploy/grafana/provisioning": "/etc/grafana/provisioning",
        "./deploy/grafana/dashboards": provider["options"]["path"],
    }


def test_the_image_starts_a_module_of_the_repository() -> None:
    command = json.loads(_given("ENTRYPOINT")[0])
    assert command == ["python", "-m", "workers"]
    assert (ROOT / command[-1] / "__main__.py").is_file()


def test_the_image_holds_what_a_worker_imports_and_everything_copied_exists() -> None:
    assert set(_copied()) >= COPIED
    for source in _copied():
        assert (ROOT / source).exists(), source


def test_what_the_image_copies_is_in_the_build_context() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(_copied())


def test_the_image_is_pinned_ends_on_sigterm_and_runs_without_root() -> None:
    assert _is_pinned(_given("FROM")[0])
    assert _given("STOPSIGNAL") == ["SIGTERM"]
    user = _given("USER")[-1].partition(":")[0]
    assert user.isdigit()
    assert int(user) > 0


def test_the_image_installs_the_locked_packages_with_their_hashes() -> None:
    installs = [arguments for arguments in _given("RUN") if "pip install" in arguments]
    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
    assert installs[0].endswith("-r requirements/workers.txt")


def test_the_locked_packages_hold_the_declared_litellm_and_name_no_registry() -> None:
    locked = (ROOT / "requirements" / "workers.txt").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [need for need in project["optional-dependencies"]["workers"] if need.startswith("litellm")]
    assert re.findall(r"^litellm\S*", locked, re.MULTILINE) == declared
    assert "://" not in locked
    assert "index-url" not in locked
    pins = re.split(r"\n(?=[A-Za-z0-9])", locked)
    assert all("--hash=sha256:" in pin for pin in pins)


def test_the_example_configuration_has_no_fault_and_no_warning(router: Configuration) -> None:
    written = max(provider.declared_at or date.min for provider in router.providers.values())
    assert warnings(router, written) == []


def test_the_example_configuration_holds_the_defaults_where_it_says_so(router: Configuration) -> None:
    tables = tomllib.loads(ROUTER.read_text(encoding="utf-8"))
    for table in ("breaker", "throttling", "hedging", "budget", "health"):
        assert tables[table]
        assert getattr(router, table) == Configuration.model_fields[table].get_default()


def test_the_example_configuration_speaks_four_protocols(router: Configuration) -> None:
    protocols = {provider.model.partition("/")[0] for provider in router.providers.values()}
    assert protocols == {"openai", "anthropic", "gemini", "ollama_chat"}


def test_the_example_configuration_names_each_missing_key(router: Configuration) -> None:
    found = missing_keys(router, {"OPENAI_API_KEY": "set", "GEMINI_API_KEY": ""})
    assert {sentence.partition(":")[0] for sentence in found} == {
        f"providers.{name}.api_key_env"
        for name, provider in router.providers.items()
        if provider.api_key_env in {"ANTHROPIC_API_KEY", "GEMINI_API_KEY"}
    }


@pytest.mark.parametrize(
    ("profile", "address", "namespace"),
    [
        (None, "localhost:7233", "default"),
        ("cloud", "NAMESPACE.ACCOUNT.tmprl.cloud:7233", "NAMESPACE.ACCOUNT"),
    ],
)
def test_temporal_profiles_load(profile: str | None, address: str, namespace: str) -> None:
    environment = {"TEMPORAL_CONFIG_FILE": str(TEMPORAL), "TEMPORAL_API_KEY": "dummy"}
    options = ClientConfig.load_client_connect_config(profile, config_file_strict=True, override_env_vars=environment)
    assert options.get("target_host") == address
    assert options.get("namespace") == namespace


def test_no_key_stands_in_a_deployment_file() -> None:
    for path in (ROUTER, TEMPORAL, ROOT / "docker-compose.yml", ROOT / "Dockerfile"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(api_key|\w+_API_KEY)\s*[:=][ \t]*\S", text, re.MULTILINE), path.name
