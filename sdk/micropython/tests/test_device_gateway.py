"""The MicroPython client on CPython, over its own sockets, against a process of the test cloud."""

import asyncio
import json
import os

import pytest
from device_bench import IMAGE, Slot, boot, flush, no_sleep, numbers
from device_gateway import Device, DeviceError, FileStorage, MemoryStorage, verify_offer

VECTORS = os.path.join(os.path.dirname(__file__), "../../../packages/device-client/vectors/offers.json")


def boot_with_code(cloud, storage, claim_code):
    return Device(cloud.url, "gw-1", claim_code, "esp32", "1.0.0", storage, sleep=no_sleep)


FAULTS = [
    {"kind": "unreachable"},
    {"kind": "lost_answer"},
    {"kind": "duplicated"},
    {"kind": "unavailable", "retryAfterSeconds": 1},
    {"kind": "server_error", "status": 500},
    {"kind": "server_error", "status": 502},
    {"kind": "captive_portal"},
    {"kind": "redirected"},
    {"kind": "unauthorized"},
    {"kind": "delayed", "ms": 10},
    {"kind": "slow", "pieceBytes": 1000, "everyMs": 1},
    {"kind": "cut", "afterBytes": 30},
    {"kind": "corrupted", "atByte": 0},
    {"kind": "wrong_length", "by": 10},
    {"kind": "wrong_length", "by": -10},
    {"kind": "wrong_time", "offsetMs": 86_400_000},
]
ROUTES = ["registerDevice", "sendTelemetry", "readConfig", "fetchCommands", "reportCommand"]
ROUTES += ["readLatestFirmware", "downloadFirmware", "reportUpdate"]


def routes_to_try(fault):
    """Returns half of the routes, the other half for the next fault. With TEST_ALL=1, all of them."""
    if os.environ.get("TEST_ALL") == "1":
        return ROUTES
    if fault["kind"] == "slow":
        return ["downloadFirmware"]  # Other responses are too short to be slow.
    return ROUTES[FAULTS.index(fault) % 2 :: 2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["kind"])
def test_the_device_recovers_from_each_fault_of_each_route(test_cloud, fault):
    for route in routes_to_try(fault):
        test_cloud.reset(commands=["blink"])
        test_cloud.add_release("1.1.0", "esp32", IMAGE)
        test_cloud.fail(route, **fault)
        sent, ran = [], []
        device = boot(test_cloud, MemoryStorage())
        slot = Slot()
        keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}

        async def work():
            device.record({"n": len(numbers(test_cloud))})
            await device.flush()
            await device.read_config()
            if not sent:
                sent.append(test_cloud.send_command("gw-1", "blink"))
            command = await device.next_command()
            if command:
                ran.append(command["commandId"])
                await device.finish_command(result=1)
            await device.update(slot, keys, slot.install)

        for attempt in range(3):
            try:
                asyncio.run(work())
                break
            except DeviceError as error:
                assert attempt < 2, (route, error.code, str(error))
        assert slot.installed == IMAGE, route
        assert ran == sent, route
        assert test_cloud.read_command("gw-1", sent[0])["state"] == "done", route
        assert len(test_cloud.records("gw-1")) == device._next - 1, route
        assert device.config["telemetryIntervalSeconds"] == 60
        assert any(request["fault"] == fault for request in test_cloud.requests(route)), route


def test_readings_survive_an_outage_a_restart_and_a_lost_response(test_cloud, tmp_path):
    device = boot(test_cloud, FileStorage(str(tmp_path / "flash")))
    device.record({"n": 1})
    assert flush(device)["accepted"] == 1
    test_cloud.go_offline()
    for n in range(2, 90):
        device.record({"n": n})
    with pytest.raises(DeviceError, match="No answer"):
        flush(device)
    assert (device.waiting, device.dropped) == (64, 24)

    rebooted = boot(test_cloud, FileStorage(str(tmp_path / "flash")))
    test_cloud.go_online()
    test_cloud.fail("sendTelemetry", "lost_answer")
    flush(rebooted)
    assert rebooted.waiting == 0
    assert numbers(test_cloud) == [1] + list(range(26, 90))
    assert len(test_cloud.requests("registerDevice")) == 1


def test_untimed_readings_are_stored_once(test_cloud):
    device = boot(test_cloud, MemoryStorage(), now_ms=lambda: 0)
    test_cloud.fail("sendTelemetry", "lost_answer", times=2)
    device.record({"n": 1})
    device.record({"n": 2})
    flush(device)
    assert numbers(test_cloud) == [1, 2]


def test_tasks_that_flush_at_once_register_once_and_send_each_reading_once(test_cloud):
    device = boot(test_cloud, MemoryStorage(), now_ms=lambda: 0)
    for n in range(60):  # more than one request
        device.record({"n": n})

    async def work():
        return await asyncio.gather(device.flush(), device.flush())

    reports = asyncio.run(work())
    assert sum(report["accepted"] for report in reports) == 60
    assert numbers(test_cloud) == list(range(60))
    assert len(test_cloud.requests("sendTelemetry")) == 2
    assert len(test_cloud.requests("registerDevice")) == 1


def test_a_bad_reading_is_dropped_alone(test_cloud):
    test_cloud.reset(limits={"telemetryBodyBytes": 1500})
    device = boot(test_cloud, MemoryStorage())
    for n in range(6):
        device.record({"n": n, "pad": "x" * (1600 if n == 3 else 200)})
    report = flush(device)
    assert (report["accepted"], report["refused"], device.waiting) == (5, 1, 0)
    assert numbers(test_cloud) == [0, 1, 2, 4, 5]


def test_a_number_that_json_does_not_have_is_stored_as_null(test_cloud):
    device = boot(test_cloud, MemoryStorage())
    device.record({"n": 1, "volts": float("nan"), "cells": [{"volts": float("inf")}, (float("-inf"), 3.5)]})
    device.record({"n": 2, "volts": 26.5})
    report = flush(device)
    assert (report["accepted"], report["refused"], device.waiting) == (2, 0, 0)
    first, second = test_cloud.records("gw-1")
    assert (first["n"], first["volts"], first["cells"]) == (1, None, [{"volts": None}, [None, 3.5]])
    assert (second["n"], second["volts"]) == (2, 26.5)


def test_the_device_signs_in_again_and_keeps_its_identity(test_cloud):
    device = boot(test_cloud, MemoryStorage())
    asyncio.run(device.read_config())
    test_cloud.expire_tokens()
    assert asyncio.run(device.read_config())["otaEnabled"] is True
    seen = test_cloud.requests("readConfig")
    assert [request["status"] for request in seen] == [200, 401, 304]
    test_cloud.revoke("gw-1")
    with pytest.raises(DeviceError) as refused:
        asyncio.run(device.read_config())
    assert refused.value.code == "device_already_registered"


def test_readings_and_reports_stay_if_the_server_refuses_the_registration(test_cloud):
    test_cloud.reset(commands=["blink"])
    storage = MemoryStorage()
    device = boot_with_code(test_cloud, storage, "A")
    for n in range(5):
        device.record({"n": n})
    with pytest.raises(DeviceError) as refused:
        flush(device)
    assert (refused.value.code, refused.value.sign_in_failed, device.waiting) == ("invalid_request", True, 5)
    registered = boot_with_code(test_cloud, storage, "ABCD-EFGH")
    assert flush(registered)["accepted"] == 5
    assert numbers(test_cloud) == [0, 1, 2, 3, 4]

    command_id = test_cloud.send_command("gw-1", "blink")
    asyncio.run(registered.next_command())
    test_cloud.fail("reportCommand", "unreachable", times=9)
    with pytest.raises(DeviceError):
        asyncio.run(registered.finish_command(result=7))
    storage.values.pop("secret")
    before = len(test_cloud.requests("registerDevice"))
    with pytest.raises(DeviceError):
        asyncio.run(boot_with_code(test_cloud, storage, "A").next_command())
    assert len(test_cloud.requests("registerDevice")) == before + 1
    test_cloud.clear_faults()
    asyncio.run(boot_with_code(test_cloud, storage, "ABCD-EFGH").next_command())
    assert test_cloud.read_command("gw-1", command_id)["answer"]["result"] == 7


def test_a_storage_that_cannot_be_read_is_not_an_empty_one(tmp_path):
    storage = FileStorage(str(tmp_path))
    assert storage.load("secret") is None
    (tmp_path / "secret").mkdir()
    with pytest.raises(OSError):
        storage.load("secret")


DAMAGED = b"\xff\xfe\xff"  # not UTF-8


def test_a_damaged_value_is_skipped(test_cloud, tmp_path):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, FileStorage(str(tmp_path)))
    for n in range(4):
        device.record({"n": n})
    (tmp_path / "r2").write_bytes(DAMAGED)
    rebooted = boot(test_cloud, FileStorage(str(tmp_path)))
    assert rebooted.waiting == 4
    (tmp_path / "r3").write_bytes(DAMAGED)  # damaged while the device runs
    assert flush(rebooted)["accepted"] == 2
    assert numbers(test_cloud) == [0, 3]


def test_readings_after_a_damaged_one_are_sent_although_a_repeated_request_had_it(test_cloud):
    storage = MemoryStorage()
    device = boot(test_cloud, storage, tries=1)
    for n in range(3):
        device.record({"n": n})
    test_cloud.go_offline()
    with pytest.raises(DeviceError, match="No answer"):
        flush(device)
    storage.save("r3", "")  # the newest one
    test_cloud.go_online()
    rebooted = boot(test_cloud, storage)
    assert flush(rebooted)["accepted"] == 2
    rebooted.record({"n": 3})
    assert rebooted.waiting == 1
    assert flush(rebooted)["accepted"] == 1
    assert numbers(test_cloud) == [0, 1, 3]


@pytest.mark.parametrize("key", ["secret", "sent", "command", "download"])
@pytest.mark.parametrize("damage", [DAMAGED, b"", b"[]", b'{"sent'], ids=repr)
def test_a_damaged_state_is_that_of_a_device_without_one(test_cloud, tmp_path, key, damage):
    test_cloud.reset(commands=["blink"])
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    asyncio.run(boot(test_cloud, FileStorage(str(tmp_path))).read_config())
    (tmp_path / key).write_bytes(damage)
    device, slot = boot(test_cloud, FileStorage(str(tmp_path))), Slot()
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    device.record({"n": 1})
    assert flush(device)["accepted"] == 1
    assert asyncio.run(device.next_command()) is None
    assert asyncio.run(device.update(slot, keys, slot.install)) == "1.1.0"


def test_the_vectors_of_the_reference_updater():
    with open(VECTORS) as file:
        vectors = json.load(file)
    keys = {key["id"]: key["pem"] for key in vectors["keys"] if key["algorithm"] == "ecdsa-p256-sha256"}
    checked = 0
    for case in vectors["cases"]:
        if case["offer"]["signingKeyId"] == "release-ed25519":
            continue  # MicroPython has no SHA-512
        device = dict(vectors["device"], **case.get("device", {}))
        facts = tuple(device[name] for name in ("targetHardware", "running", "floor", "capacity"))
        try:
            asyncio.run(verify_offer(case["offer"], facts, keys))
            outcome = "taken"
        except DeviceError as error:
            outcome = error.code
        assert outcome == case["expected"], case["name"]
        checked += 1
    assert checked > 40
