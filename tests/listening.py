"""Where the services of docker-compose.yml listen: no container runs in tests to be asked."""

from __future__ import annotations

from typing import Any

LISTENS = {
    "postgres": {5432},
    "temporalio/auto-setup": {7233},
    "temporalio/ui": {8080},
    "otel/opentelemetry-collector": {4318},  # as deploy/otel-collector.yml says
    "jaegertracing/jaeger": {4317, 4318, 16686},  # OTLP over gRPC, over HTTP, and what people look at
    "prom/prometheus": {9090},
    "grafana/grafana": {3000},
}
"""Where each image listens, by its makers' documentation."""


def listens(compose: dict[str, Any], address: str) -> bool:
    """Whether the service that HOST:PORT names listens at that port."""
    host, _, port = address.partition(":")
    service = compose["services"].get(host, {})
    return int(port) in LISTENS.get(service.get("image", "").partition(":")[0], set())
