"""Commands of the MicroPython client on CPython."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from device_bench import IMAGE, Firewall, Portal, PowerCut, Slot, boot, flush, problem
from device_gateway import DeviceError, MemoryStorage, UPDATE_NOW


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


def test_a_number_in_a_result_that_json_does_not_have_is_null(test_cloud):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage())
    asyncio.run(device.read_config())
    command_id = test_cloud.send_command("gw-1", "blink")

    async def run():
        await device.next_command()
        await device.finish_command(result={"volts": [float("nan"), 3.5]})

    asyncio.run(run())
    answer = test_cloud.read_command("gw-1", command_id)["answer"]
    assert (answer["status"], answer["result"]) == ("done", {"volts": [None, 3.5]})


def test_a_report_that_a_proxy_refuses_is_sent_without_its_result(test_cloud):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage(), http=Firewall(b"/etc/passwd"))
    asyncio.run(device.read_config())
    ids = [test_cloud.send_command("gw-1", "blink") for _ in range(2)]

    async def run():
        for command_id in ids:
            assert (await device.next_command())["commandId"] == command_id
            with pytest.raises(DeviceError) as error:
                await device.finish_command(result="/etc/passwd", message="Read /etc/passwd.")
            assert (error.value.code, error.value.status) == ("unexpected_answer", 403)
        assert await device.next_command() is None

    asyncio.run(run())
    for command_id in ids:
        command = test_cloud.read_command("gw-1", command_id)
        assert command["state"] == "done"
        assert command["answer"] == {"status": "done", "result": None, "message": None}


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("status, body", [(403, b"<html>"), (404, problem("not_found"))], ids=["proxy", "no route"])
def test_a_result_arrives_whole_if_its_report_is_refused_for_a_moment(test_cloud, status, body, times):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage(), http=Portal("/result", status, body, times))
    asyncio.run(device.read_config())
    ids = [test_cloud.send_command("gw-1", "blink") for _ in range(2)]

    async def run():
        assert (await device.next_command())["commandId"] == ids[0]
        with pytest.raises(DeviceError):
            await device.finish_command(result=7)
        assert (await device.next_command())["commandId"] == ids[1]

    asyncio.run(run())
    assert test_cloud.read_command("gw-1", ids[0])["answer"]["result"] == 7


def test_a_report_without_a_route_is_always_sent_whole_and_holds_up_no_command(test_cloud):
    test_cloud.reset(commands=["blink"])
    portal = Portal("/result", 404, problem("not_found"))
    device = boot(test_cloud, MemoryStorage(), http=portal)
    asyncio.run(device.read_config())
    ids = [test_cloud.send_command("gw-1", "blink") for _ in range(2)]

    async def run():
        assert (await device.next_command())["commandId"] == ids[0]
        with pytest.raises(DeviceError) as error:
            await device.finish_command(result=7)
        assert (error.value.code, error.value.status) == ("not_found", 404)
        assert (await device.next_command())["commandId"] == ids[1]

    asyncio.run(run())
    assert [json.loads(body) for body in portal.bodies] == 3 * [{"status": "done", "result": 7}]


def test_a_report_stays_whole_while_a_proxy_refuses_every_request(test_cloud):
    test_cloud.reset(commands=["blink"])
    device = boot(test_cloud, MemoryStorage())
    asyncio.run(device.read_config())
    command_id = test_cloud.send_command("gw-1", "blink")
    network, portal = device.http, Portal("", 403, b"<html>")

    async def run():
        await device.next_command()
        device.http = portal
        with pytest.raises(DeviceError):
            await device.finish_command(result=7)
        for _ in range(2):
            with pytest.raises(DeviceError) as error:
                await device.next_command()
            assert (error.value.code, error.value.status) == ("unexpected_answer", 403)
        device.http = network
        assert await device.next_command() is None

    asyncio.run(run())
    reports = [json.loads(body) for body in portal.bodies if body is not None]
    assert reports == 3 * [{"status": "done", "result": 7}]
    assert test_cloud.read_command("gw-1", command_id)["answer"]["result"] == 7


def test_a_report_that_a_proxy_always_refuses_does_not_hold_up_the_next_command(test_cloud):
    test_cloud.reset(commands=["blink"])
    storage = MemoryStorage()
    device = boot(test_cloud, storage, http=Firewall(b'"done"'))
    asyncio.run(device.read_config())
    ids = [test_cloud.send_command("gw-1", "blink") for _ in range(2)]

    async def run():
        for command_id in ids:
            assert (await device.next_command())["commandId"] == command_id
            with pytest.raises(DeviceError) as error:
                await device.finish_command(result=7)
            assert (error.value.code, error.value.status) == ("unexpected_answer", 403)
        assert await device.next_command() is None

    asyncio.run(run())
    # The last report is still stored.
    assert asyncio.run(boot(test_cloud, storage).next_command()) is None
    states = [test_cloud.read_command("gw-1", command_id)["state"] for command_id in ids]
    assert states == ["delivered", "done"]


@pytest.mark.parametrize("status, body", [(200, b"{}"), (200, b"<html>"), (204, b""), (302, b""), (404, b"<html>")])
def test_a_captive_portal_does_not_take_the_report_of_a_command(test_cloud, status, body):
    test_cloud.reset(commands=["blink"])
    storage = MemoryStorage()
    device = boot(test_cloud, storage, http=Portal("/result", status, body))
    asyncio.run(device.read_config())
    command_id = test_cloud.send_command("gw-1", "blink")

    async def run():
        await device.next_command()
        await device.finish_command(result=7)

    with pytest.raises(DeviceError) as error:
        asyncio.run(run())
    assert error.value.code == "unexpected_answer"
    asyncio.run(boot(test_cloud, storage).next_command())
    assert test_cloud.read_command("gw-1", command_id)["answer"]["result"] == 7


def readme():
    """Returns the functions of the example in the README as names."""
    with open(os.path.join(os.path.dirname(__file__), "../README.md")) as file:
        example = file.read().split("```python\n")[1].split("```")[0]
    names = {"asyncio": asyncio, "DeviceError": DeviceError, "UPDATE_NOW": UPDATE_NOW}
    exec(example[example.index("async def run_commands") : example.index("asyncio.run(")], names)
    return names


def test_the_example_of_the_readme_reports_an_update_now_that_failed(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    names = readme()
    slot = Slot()
    device = boot(test_cloud, MemoryStorage())
    names.update(device=device, slot=slot, pem=test_cloud.release_key["pem"], install=slot.install)
    asyncio.run(device.read_config())
    alice = test_cloud.sign_in("alice")
    claim = {"deviceId": "gw-1", "claimCode": "ABCD-EFGH"}
    assert test_cloud.api("POST", "/user/devices/claim", alice, claim)[0] == 200
    path = "/dashboard/devices/gw-1/commands"
    status, sent = test_cloud.api("POST", path, alice, {"name": UPDATE_NOW, "payload": {}})
    assert status == 201
    asyncio.run(names["run_commands"]())
    command = test_cloud.read_command("gw-1", sent["command"]["commandId"])
    assert (command["state"], command["answer"]["message"]) == ("failed", "unknown_key")


def test_the_example_of_the_readme_goes_on_after_a_fault_of_the_storage(test_cloud):
    names = readme()
    storage = MemoryStorage()
    device = boot(test_cloud, storage)
    save, pauses = storage.save, []

    def fail(key, text):
        raise OSError(28, "ENOSPC")

    async def pause(seconds):
        pauses.append(seconds)
        storage.save = save
        if len(pauses) == 2:
            raise PowerCut()

    storage.save = fail
    names.update(device=device, asyncio=SimpleNamespace(sleep=pause))
    with pytest.raises(PowerCut):
        asyncio.run(names["main"]())
    assert pauses == [60, 60]
    assert [record["voltage"] for record in test_cloud.records("gw-1")] == [26.5]
