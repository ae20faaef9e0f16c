"""Ports of the device for the WebAssembly build: HTTP over JavaScript's fetch, a slot and a storage outside of the heap."""

import asyncio
import binascii
import gc
import json

import device_gateway as dg
import js

UNUSED = 128 * 1024 * 1024  # what the build could still add to the heap
heap = {"largest": 0}


def measure():
    """
    Notes the size of the heap, and requests a garbage collection. If the heap is full, this build adds to it instead of
    collecting garbage as a device does: it collects only while no Python code runs, after the next `await`.
    """
    heap["largest"] = max(heap["largest"], gc.mem_alloc() + gc.mem_free() - UNUSED)
    gc.collect()


class PowerCut(Exception):
    """The device loses power."""


power = {"operations": 0}  # operations until the power fails; 0: it does not


def use_power():
    """Counts an operation of the network, the storage or a command. The power may fail before it."""
    if power["operations"]:
        power["operations"] -= 1
        if power["operations"] == 0:
            raise PowerCut()


class FetchHttp:
    async def request(self, method, url, headers, body):
        use_power()
        measure()
        text = None if body is None else body.decode()
        answer = await js.exchange(method, url, json.dumps(headers), text)
        if answer.fault:
            raise OSError(answer.fault)
        return FetchResponse(answer)


class FetchResponse:
    def __init__(self, answer):
        self.answer = answer
        self.status = answer.status
        self.headers = json.loads(answer.headers)

    async def read(self, count):
        use_power()
        measure()
        piece = await self.answer.read(count)
        if piece.fault:
            raise OSError(piece.fault)
        return binascii.unhexlify(piece.hex)

    async def close(self):
        await self.answer.close()


class Storage:
    def load(self, key):
        return js.loadText(key) or None

    def save(self, key, text):
        use_power()
        js.saveText(key, text)


class Slot:
    # Bytes cross as hexadecimal text. Copying a JavaScript object byte by byte would fragment the heap.
    capacity = 1 << 20

    def begin(self, size):
        js.slotBegin(size)

    def write(self, offset, piece):
        js.slotWrite(offset, binascii.hexlify(piece).decode())

    def read(self, offset, count):
        return binascii.unhexlify(js.slotRead(offset, count))


async def pause(seconds):
    measure()
    await asyncio.sleep(0)


def boot(url, version, claim_code="ABCD-EFGH"):
    """Starts the device, as after a restart."""
    return dg.Device(url, "gw-mp", claim_code, "esp32", version, Storage(), http=FetchHttp(), sleep=pause)


async def run(url, keys, readings, claim_code):
    """Records and sends, reads the configuration and updates. Returns what happened as JSON."""
    device = boot(url, "1.0.0", claim_code)
    outcome = {}
    try:
        for n in range(readings):
            device.record({"n": n, "voltage": 26.5})
        outcome["report"] = await device.flush()
        outcome["interval"] = (await device.read_config())["telemetryIntervalSeconds"]
        outcome["installed"] = await device.update(Slot(), json.loads(keys), lambda offer: None)
    except dg.DeviceError as error:
        outcome["error"] = error.code
        outcome["sign_in_failed"] = error.sign_in_failed
    outcome["waiting"] = device.waiting
    measure()
    return json.dumps(outcome)


async def flush_in_two_tasks(url, readings):
    """Records, and sends in two tasks at once. Returns how many readings each of them sent as JSON."""
    device = boot(url, "1.0.0")
    for n in range(readings):
        device.record({"n": n})
    accepted = []
    for task in [asyncio.create_task(device.flush()) for _ in range(2)]:
        accepted.append((await task)["accepted"])
    measure()
    return json.dumps(accepted)


async def record_unmeasured(url):
    """Records and sends values of a sensor that does not answer. Returns the report as JSON."""
    device = boot(url, "1.0.0")
    device.record({"n": 1, "volts": float("nan"), "cells": [{"volts": float("inf")}, 3.5]})
    report = await device.flush()
    measure()
    return json.dumps(report)


async def read_config(url):
    """Signs in and reads the configuration. Returns it as JSON."""
    config = await boot(url, "1.0.0").read_config()
    measure()
    return json.dumps(config)


async def commands(url, polls, operations):
    """Starts the device, polls for commands and runs them, until the power fails. Returns what happened as JSON."""
    ran = []
    outcome = {"ran": ran, "cut": False}
    power["operations"] = operations
    try:
        device = boot(url, "1.0.0")
        device.record({"n": 1})
        outcome["waiting"] = (await device.flush())["commands_waiting"]
        for _ in range(polls):
            command = await device.next_command()
            if command is None:
                break
            use_power()
            ran.append(command["commandId"])
            use_power()
            if command["name"] == "blink":
                await device.finish_command("done", {"blinked": command["payload"]["times"]})
            else:
                await device.finish_command("failed", message="There is no such command.")
    except dg.DeviceError as error:
        outcome["error"] = error.code
    except PowerCut:
        outcome["cut"] = True
    power["operations"] = 0
    measure()
    return json.dumps(outcome)


async def wait_for_command(url):
    """Waits for a command. Returns its name, or "" if there is none."""
    command = await boot(url, "1.0.0").next_command(25)
    return command["name"] if command else ""


async def judge(case, device, keys):
    """Judges one of the vectors."""
    device = json.loads(device)
    facts = (device["targetHardware"], device["running"], device["floor"], device["capacity"])
    try:
        await dg.verify_offer(json.loads(case), facts, json.loads(keys))
        return "taken"
    except dg.DeviceError as error:
        return error.code
    finally:
        measure()
