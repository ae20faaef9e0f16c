"""The MicroPython client on CPython, over its own sockets, against a process of the test cloud."""

import asyncio
import hashlib
import json
import os
import signal
import ssl
import subprocess
import sys

import pytest
from device_gateway import Device, DeviceError, FileStorage, MemoryStorage, SocketHttp, verify_offer
from device_gateway_pytest import Cloud, start_cloud

VECTORS = os.path.join(os.path.dirname(__file__), "../../../packages/device-client/vectors/offers.json")
IMAGE = bytes(at * 31 & 0xFF for at in range(100_000))


class Slot:
    """A slot for firmware in memory."""

    capacity = 1 << 20

    def __init__(self):
        self.image = bytearray()
        self.installed = None

    def begin(self, size):
        self.image = bytearray(size)

    def write(self, offset, piece):
        self.image[offset : offset + len(piece)] = piece

    def read(self, offset, count):
        return bytes(self.image[offset : offset + count])

    def install(self, offer):
        self.installed = bytes(self.image)


async def no_sleep(_):
    await asyncio.sleep(0)


def boot(cloud, storage, url=None, version="1.0.0", **options):
    """Starts the device, as after a restart."""
    options.setdefault("sleep", no_sleep)
    return Device(url or cloud.url, "gw-1", "ABCD-EFGH", "esp32", version, storage, **options)


def boot_with_code(cloud, storage, claim_code):
    return Device(cloud.url, "gw-1", claim_code, "esp32", "1.0.0", storage, sleep=no_sleep)


def flush(device):
    return asyncio.run(device.flush())


def numbers(cloud):
    return [record["n"] for record in cloud.records("gw-1")]


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


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["kind"])
def test_the_device_recovers_from_each_fault_of_each_route(test_cloud, fault):
    for route in ROUTES:
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


def test_a_bad_reading_is_dropped_alone(test_cloud):
    test_cloud.reset(limits={"telemetryBodyBytes": 1500})
    device = boot(test_cloud, MemoryStorage())
    for n in range(6):
        device.record({"n": n, "pad": "x" * (1600 if n == 3 else 200)})
    report = flush(device)
    assert (report["accepted"], report["refused"], device.waiting) == (5, 1, 0)
    assert numbers(test_cloud) == [0, 1, 2, 4, 5]


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


def test_a_download_that_was_complete_is_checked_and_installed_after_a_restart(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    storage, slot = MemoryStorage(), Slot()
    # The power failed after the last checkpoint, which was at the end of the image.
    progress = {"sha256": hashlib.sha256(IMAGE).hexdigest(), "offset": len(IMAGE), "etag": '"a"'}
    storage.save("download", json.dumps(progress))
    slot.image = bytearray(IMAGE)
    assert asyncio.run(boot(test_cloud, storage).update(slot, keys, slot.install)) == "1.1.0"
    assert slot.installed == IMAGE
    assert test_cloud.requests("downloadFirmware") == []

    # A slot that lost the image since then gets it again.
    empty = Slot()
    empty.begin(len(IMAGE))
    with pytest.raises(DeviceError, match="signed"):
        asyncio.run(boot(test_cloud, storage).update(empty, keys, empty.install))
    assert asyncio.run(boot(test_cloud, storage).update(empty, keys, empty.install)) == "1.1.0"
    assert empty.installed == IMAGE


class NoRanges(SocketHttp):
    """A server, or a proxy before it, that has no part of an image."""

    async def request(self, method, url, headers, body):
        response = await SocketHttp.request(self, method, url, headers, body)
        if "Range" in headers:
            response.status = 416
        return response


def test_a_download_whose_rest_is_refused_starts_again(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    slot = Slot()
    device = boot(test_cloud, MemoryStorage(), http=NoRanges())
    assert asyncio.run(device.update(slot, keys, slot.install)) == "1.1.0"
    assert slot.installed == IMAGE


def test_a_storage_that_cannot_be_read_is_not_an_empty_one(tmp_path):
    storage = FileStorage(str(tmp_path))
    assert storage.load("secret") is None
    (tmp_path / "secret").mkdir()
    with pytest.raises(OSError):
        storage.load("secret")


HOSTILE = {
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    "negative chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}",
    "chunk that is no number": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}",
    "long header": b"HTTP/1.1 200 OK\r\nX: " + 40_000 * b"x" + b"\r\nContent-Length: 2\r\n\r\n{}",
    "long status": b"HTTP/1.1 200 " + 40_000 * b"x" + b"\r\nContent-Length: 2\r\n\r\n{}",
    "long headers": b"HTTP/1.1 200 OK\r\n" + 20 * (b"X: " + 2_000 * b"x" + b"\r\n") + b"Content-Length: 2\r\n\r\n{}",
    "many headers": b"HTTP/1.1 200 OK\r\n" + 200 * b"X: 1\r\n" + b"Content-Length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_response_does_not_fill_the_memory(name):
    async def work():
        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HOSTILE[name])
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            url = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
            with pytest.raises(OSError):
                response = await SocketHttp().request("GET", url, {}, None)
                try:
                    await response.read(1024)
                finally:
                    await response.close()

    asyncio.run(work())


def test_a_304_is_a_success_only_if_the_device_asked_for_it():
    async def work():
        async def answer(reader, writer):
            head = await reader.readuntil(b"\r\n\r\n")
            token = b'{"token":"t","deviceSecret":"s"}'
            if head.startswith(b"POST"):
                writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n" % len(token) + token)
            else:
                writer.write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            url = "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1]
            with pytest.raises(DeviceError) as error:
                await Device(url, "gw-1", "ABCD-EFGH", "esp32", "1.0.0", MemoryStorage()).read_config()
        assert (error.value.code, error.value.status) == ("unexpected_answer", 304)

    asyncio.run(work())


def test_a_download_resumes_after_a_restart(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    storage, slot = MemoryStorage(), Slot()
    with pytest.raises(DeviceError):
        asyncio.run(boot(test_cloud, storage, tries=1).update(slot, keys, slot.install))
    assert asyncio.run(boot(test_cloud, storage).update(slot, keys, slot.install)) == "1.1.0"
    assert slot.installed == IMAGE
    whole, rest = test_cloud.requests("downloadFirmware")
    assert (whole["status"], rest["status"]) == (200, 206)
    assert rest["headers"]["range"] == "bytes=49152-"
    flush_after = boot(test_cloud, storage, version="1.1.0")
    assert asyncio.run(flush_after.update(slot, keys, slot.install)) is None


BLINK = """
import asyncio, os, signal, sys
from device_gateway import Device, FileStorage

async def main():
    device = Device(sys.argv[1], "gw-1", "ABCD-EFGH", "esp32", "1.0.0", FileStorage("flash"))
    await device.read_config()
    command = await device.next_command()
    if command is None:
        return
    with open("blinks", "a") as file:
        file.write("blink;")
    if command["payload"].get("kills"):
        os.kill(os.getpid(), signal.SIGKILL)
    await device.finish_command()

asyncio.run(main())
"""


def test_a_command_whose_process_is_killed_does_not_run_again(test_cloud, tmp_path):
    test_cloud.reset(commands=["blink"])
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))

    def start():
        given = [sys.executable, "-B", "-c", BLINK, test_cloud.url]
        return subprocess.run(given, cwd=str(tmp_path), env=environment).returncode

    assert start() == 0
    killed = test_cloud.send_command("gw-1", "blink", {"kills": True})
    assert start() == -signal.SIGKILL
    assert test_cloud.read_command("gw-1", killed)["state"] == "delivered"
    assert start() == 0
    assert test_cloud.read_command("gw-1", killed)["state"] == "unknown"
    other = test_cloud.send_command("gw-1", "blink")
    assert start() == 0
    assert test_cloud.read_command("gw-1", other)["state"] == "done"
    assert (tmp_path / "blinks").read_text() == "blink;blink;"


def test_a_result_that_is_too_large_or_not_json_is_reported_without_it(test_cloud):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage())
    asyncio.run(device.read_config())

    async def run(result):
        command = await device.next_command()
        await device.finish_command(result=result)
        return test_cloud.read_command("gw-1", command["commandId"])

    for result, reason in (("x" * 5000, "too large"), ({1, 2}, "not JSON")):
        test_cloud.send_command("gw-1", "blink")
        command = asyncio.run(run(result))
        assert (command["state"], command["answer"]["result"]) == ("done", None)
        assert reason in command["answer"]["message"]
    with pytest.raises(ValueError, match="No command"):
        asyncio.run(device.finish_command())


def test_the_hint_says_that_a_command_waits(test_cloud):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage())
    device.record({"n": 1})
    assert flush(device)["commands_waiting"] is False
    test_cloud.send_command("gw-1", "blink")
    device.record({"n": 2})
    assert flush(device)["commands_waiting"] is True
    assert asyncio.run(device.read_config())["commandsWaiting"] is True

    async def run():
        await device.next_command()
        await device.finish_command()

    asyncio.run(run())
    test_cloud.advance(1)  # the cloud caches a device for less than a second
    for _ in range(2):
        assert "commandsWaiting" not in asyncio.run(device.read_config())
    assert [request["status"] for request in test_cloud.requests("readConfig")] == [200, 304, 304]


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


def test_the_device_refuses_bad_certificates_and_https_without_a_check(cloud_command):
    process = start_cloud(cloud_command + " --tls")
    try:
        cloud = Cloud(process.control_url)
        trusted = SocketHttp(ssl=ssl.create_default_context(cadata=cloud.tls_authority))
        device = boot(cloud, MemoryStorage(), process.url, http=trusted, tries=1)
        device.record({"n": 1})
        for kind in ("self_signed", "expired", "wrong_name"):
            cloud.present_certificate(kind)
            with pytest.raises(DeviceError) as error:
                flush(device)
            assert error.value.code == "network"
        assert cloud.requests() == []
        cloud.present_certificate("valid")
        assert flush(device)["accepted"] == 1
        with pytest.raises(ValueError, match="checks certificates"):
            asyncio.run(SocketHttp().request("GET", process.url, {}, None))
    finally:
        process.stop()
