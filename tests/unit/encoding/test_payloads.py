"""Which settings hold: those of the table, filled up from the environment, or one sentence about what is wrong."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pointsman.encoding.payloads import Payloads
from pointsman.encoding.settings import STORE_FROM_BYTES, PayloadSettings
from pointsman.sentences import ConfigurationError

KEYS = f"k1:{base64.b64encode(bytes(32)).decode()}"


def _file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "router.toml"
    path.write_text(text, encoding="utf-8")
    return {"POINTSMAN_CONFIG": str(path)}


def test_nothing_is_on_by_default() -> None:
    assert Payloads.from_environment({}) == Payloads()
    assert not Payloads().on


def test_the_environment_alone_switches_everything_on(tmp_path: Path) -> None:
    payloads = Payloads.from_environment(
        {
            "POINTSMAN_PAYLOAD_KEYS": KEYS,
            "POINTSMAN_PAYLOAD_COMPRESS_FROM_BYTES": "4096",
            "POINTSMAN_PAYLOAD_STORE": str(tmp_path),
            "POINTSMAN_PAYLOAD_STORE_FROM_BYTES": "2000",
        }
    )
    assert payloads.on
    assert payloads.keys is not None
    assert payloads.keys.first.id == "k1"
    assert (payloads.compress_from_bytes, payloads.store, payloads.store_from_bytes) == (4096, tmp_path, 2000)


def test_a_client_reads_the_one_table_of_the_configuration_and_nothing_else_of_it(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    told = _file(tmp_path, 'providers = "not looked at"\n[payloads]\nkeys_env = "MY_KEYS"\nstore = "kept"\n')
    payloads = Payloads.from_environment({**told, "MY_KEYS": KEYS})
    assert payloads.keys is not None
    assert payloads.keys.source == "MY_KEYS"
    assert (payloads.store, payloads.store_from_bytes) == (tmp_path / "kept", STORE_FROM_BYTES)


def test_a_key_of_the_table_beats_its_variable(tmp_path: Path) -> None:
    told = _file(tmp_path, "[payloads]\ncompress_from_bytes = 1\n")
    payloads = Payloads.from_environment({**told, "POINTSMAN_PAYLOAD_COMPRESS_FROM_BYTES": "4096"})
    assert payloads.compress_from_bytes == 1


@pytest.mark.parametrize(
    ("table", "environ", "said"),
    [
        ('keys_env = "MY_KEYS"', {}, "payloads.keys_env: the environment variable MY_KEYS is not set; set it"),
        ('keys_env = "MY_KEYS"', {"MY_KEYS": "x"}, "MY_KEYS: key 1 has no id"),
        ("", {"POINTSMAN_PAYLOAD_KEYS": ""}, "POINTSMAN_PAYLOAD_KEYS is set to nothing; give it keys, or unset it"),
        ('key_env = "MY_KEYS"', {}, "payloads.key_env: unknown key; did you mean keys_env?"),
        ('keys_env = "k1:AAAA"', {}, "payloads.keys_env: "),
        ("compress_from_bytes = -1", {}, "payloads.compress_from_bytes: "),
        ('store = "gone"', {}, "payloads.store: "),
        ("store_from_bytes = 5000", {}, "payloads.store_from_bytes: no folder is named"),
        ("", {"POINTSMAN_PAYLOAD_STORE": "/gone"}, "POINTSMAN_PAYLOAD_STORE: /gone is no folder that can be written"),
        ("", {"POINTSMAN_PAYLOAD_COMPRESS_FROM_BYTES": "4k"}, "POINTSMAN_PAYLOAD_COMPRESS_FROM_BYTES: "),
    ],
)
def test_settings_that_cannot_be_used_are_said_in_a_sentence(
    tmp_path: Path, table: str, environ: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Payloads.from_environment({**_file(tmp_path, f"[payloads]\n{table}\n"), **environ})
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", [None, "[payloads", "payloads = 1"], ids=["gone", "no TOML", "no table"])
def test_a_configuration_that_cannot_be_read_switches_nothing_off_in_silence(tmp_path: Path, text: str | None) -> None:
    told = {"POINTSMAN_CONFIG": str(tmp_path / "gone.toml")} if text is None else _file(tmp_path, text)
    with pytest.raises(ConfigurationError, match=r"gone\.toml|router\.toml|payloads: is a table"):
        Payloads.from_environment(told)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="is no folder"):
        Payloads.of(PayloadSettings(store=str(tmp_path / "file")), {})
