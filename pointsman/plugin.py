"""One plugin for client, worker, replayer and command line alike, so that none of them reads or writes otherwise.

    client = await Client.connect("localhost:7233", plugins=[PointsmanPlugin()])
    Replayer(workflows=[...], plugins=[PointsmanPlugin()])

A worker inherits it from its client. Without an argument it takes its settings from the environment, and from the table
`[payloads]` of the configuration that POINTSMAN_CONFIG names.
"""

from __future__ import annotations

from collections.abc import Sequence

import temporalio.client
import temporalio.worker
from temporalio.converter import DataConverter
from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkerConfig

from pointsman.data_converter import DATA_CONVERTER, data_converter, unlike
from pointsman.encoding.payloads import Payloads
from pointsman.sentences import ConfigurationError

Interceptor = temporalio.client.Interceptor | temporalio.worker.Interceptor


class PointsmanPlugin(SimplePlugin):
    """Brings the data converter, and refuses to work with another one."""

    def __init__(self, payloads: Payloads | None = None, *, interceptors: Sequence[Interceptor] = ()) -> None:
        """Use these settings, else those of the environment; interceptors go to whatever they are made for.

        Raises:
            ConfigurationError: the settings cannot be used; each sentence names the place.
        """
        self.payloads = Payloads.from_environment() if payloads is None else payloads
        self.converter = data_converter(self.payloads)
        super().__init__("pointsman.PointsmanPlugin", data_converter=self._in_place_of, interceptors=interceptors)

    def configure_worker(self, config: WorkerConfig) -> WorkerConfig:
        """Refuse a client whose converter another plugin has replaced since."""
        configured = super().configure_worker(config)
        client = configured.get("client")
        if client is not None:
            require_converter(client.data_converter, self.payloads)
        return configured

    def _in_place_of(self, given: DataConverter | None) -> DataConverter:
        if given is None or given is DataConverter.default or given is DATA_CONVERTER:
            return self.converter
        require_converter(given, self.payloads)
        return given


def require_converter(converter: DataConverter, payloads: Payloads) -> None:
    """Return if a converter is the one for these settings.

    Raises:
        ConfigurationError: it is not: what this process writes, the others could not read, or everybody could.
    """
    part = unlike(converter, payloads)
    if part is not None:
        cure = "connect with pointsman.connection.connect, or with PointsmanPlugin and no data converter of your own"
        raise ConfigurationError([f"the client's {part} is not the one for the settings of [payloads] here; {cure}"])
