"""Hostile responses and TLS, with the MicroPython client on CPython over its own sockets."""

import asyncio
import json
import ssl

import pytest
from device_bench import Portal, Slot, boot, flush
from device_gateway import MAX_RESPONSE, Device, DeviceError, MemoryStorage, SocketHttp
from device_gateway_pytest import Cloud, start_cloud


HOSTILE = {
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    "negative chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}",
    "chunk that is no number": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{}",
    "long header": b"HTTP/1.1 200 OK\r\nX: " + 40_000 * b"x" + b"\r\nContent-Length: 2\r\n\r\n{}",
    "long status": b"HTTP/1.1 200 " + 40_000 * b"x" + b"\r\nContent-Length: 2\r\n\r\n{}",
    "long headers": b"HTTP/1.1 200 OK\r\n" + 20 * (b"X: " + 2_000 * b"x" + b"\r\n") + b"Content-Length: 2\r\n\r\n{}",
    "interim responses without end": 1000 * b"HTTP/1.1 100 Continue\r\n\r\n",
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


def test_a_response_may_follow_interim_ones():
    async def work():
        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            url = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
            response = await SocketHttp().request("GET", url, {}, None)
            assert (response.status, response.headers) == (200, {"content-length": "2"})
            assert await response.read(1024) == b"{}"
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


def test_the_device_refuses_bad_certificates(cloud_command):
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
    finally:
        process.stop()


def test_https_without_a_tls_context_is_not_an_outage():
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)

    given = ("gw-1", "ABCD-EFGH", "esp32", "1.0.0", MemoryStorage())
    device = Device("https://127.0.0.1:9", *given, sleep=pause)
    device.record({"n": 1})
    with pytest.raises(DeviceError, match=r"Pass SocketHttp\(ssl=context\)") as error:
        flush(device)
    assert (error.value.code, error.value.is_transient(), device.waiting) == ("no_tls_context", False, 1)
    offer = {"downloadUrl": "https://127.0.0.1:9/image", "sha256": "0" * 64, "size": 1}
    with pytest.raises(DeviceError) as error:
        asyncio.run(Device("http://127.0.0.1:9", *given, sleep=pause).download(offer, Slot()))
    assert (error.value.code, pauses) == ("no_tls_context", [])


@pytest.mark.parametrize("url", ["gateway.example.com", "ftp://gateway.example.com", "http://gateway:port", "https://"])
def test_an_address_that_is_none_is_an_error_at_the_start(url):
    with pytest.raises(ValueError, match="address must be like https://gateway.example.com"):
        Device(url, "gw-1", "ABCD-EFGH", "esp32", "1.0.0", MemoryStorage())


@pytest.mark.parametrize("status, body", [(200, b"{}"), (202, b""), (200, b'{"status":"login required"}')])
def test_a_captive_portal_does_not_take_the_report_of_an_update(test_cloud, status, body):
    device = boot(test_cloud, MemoryStorage(), http=Portal("/ota/events", status, body))
    with pytest.raises(DeviceError) as error:
        asyncio.run(device.report_update("rolled_back", "1.1.0"))
    assert (error.value.code, error.value.status) == ("unexpected_answer", status)


@pytest.mark.parametrize("size, is_read", [(MAX_RESPONSE, True), (MAX_RESPONSE + 1, False)])
def test_a_configuration_is_read_up_to_the_limit_of_a_response(test_cloud, size, is_read):
    config = b'{"configVersion":"v1","telemetryIntervalSeconds":60,"text":"%s"}'
    body = config % (b"x" * (size + 2 - len(config)))
    device = boot(test_cloud, MemoryStorage(), http=Portal("/device/config", 200, body))
    if is_read:
        assert len(body) == size > 16_384 + 4_096
        assert asyncio.run(device.read_config())["configVersion"] == "v1"
    else:
        with pytest.raises(DeviceError, match="not from the API"):
            asyncio.run(device.read_config())


@pytest.mark.parametrize("interval", [b"true", b"60.5", b'"60"', b"null"])
def test_a_configuration_whose_interval_is_no_integer_is_not_from_the_api(test_cloud, interval):
    body = b'{"configVersion":"v1","telemetryIntervalSeconds":%s}' % interval
    device = boot(test_cloud, MemoryStorage(), http=Portal("/device/config", 200, body))
    with pytest.raises(DeviceError) as error:
        asyncio.run(device.read_config())
    assert (error.value.code, device.config) == ("unexpected_answer", None)


def test_a_response_that_is_nested_too_deeply_is_not_from_the_api(test_cloud):
    body = 12_000 * b"[" + 12_000 * b"]"
    device = boot(test_cloud, MemoryStorage(), http=Portal("/device/config", 200, body))
    with pytest.raises(DeviceError) as error:
        asyncio.run(device.read_config())
    assert (error.value.code, error.value.status) == ("unexpected_answer", 200)


SENT = {"accepted": 1, "duplicates": 0, "rejected": [], "updateAvailable": False}
SENT.update(serverTime="2026-02-01T00:00:00.000Z", configVersion="v1")
WRONG = [("accepted", True), ("accepted", 1.0), ("accepted", None), ("duplicates", "0"), ("duplicates", False)]
WRONG += [("rejected", 0), ("rejected", {}), ("updateAvailable", 0), ("serverTime", 0), ("configVersion", None)]


@pytest.mark.parametrize("name, value", WRONG)
def test_a_success_that_the_api_cannot_have_sent_keeps_the_readings(test_cloud, name, value):
    body = json.dumps(dict(SENT, **{name: value})).encode()
    device = boot(test_cloud, MemoryStorage(), http=Portal("/telemetry", 200, body))
    device.record({"n": 1})
    with pytest.raises(DeviceError) as error:
        flush(device)
    assert (error.value.code, error.value.status, device.waiting) == ("unexpected_answer", 200, 1)
    device.http = SocketHttp()
    assert flush(device)["accepted"] == 1


def test_a_401_whose_body_a_proxy_replaced_renews_the_token_once_for_each_call(test_cloud):
    portal = Portal("/telemetry", 401, b"<html>", times=1)
    device = boot(test_cloud, MemoryStorage(), http=portal)
    device.record({"n": 1})
    assert flush(device)["accepted"] == 1
    assert len(test_cloud.requests("loginDevice")) == 1
    portal.times = float("inf")
    device.record({"n": 2})
    with pytest.raises(DeviceError) as error:
        flush(device)
    assert (error.value.code, error.value.status, device.waiting) == ("unexpected_answer", 401, 1)
    assert (len(portal.bodies), len(test_cloud.requests("loginDevice"))) == (3, 2)


@pytest.mark.parametrize("status, requests", [(400, 1), (413, 2)])
def test_an_error_of_a_proxy_in_json_drops_no_reading(test_cloud, status, requests):
    portal = Portal("/telemetry", status, b'{"code":"request_too_large","detail":"Send less."}')
    device = boot(test_cloud, MemoryStorage(), http=portal)
    device.record({"n": 1})
    device.record({"n": 2})
    with pytest.raises(DeviceError) as error:
        flush(device)
    assert (error.value.code, error.value.status, device.waiting) == ("unexpected_answer", status, 2)
    assert len(portal.bodies) == requests  # after a 413, one reading alone
    device.http = SocketHttp()
    assert flush(device)["accepted"] == 2


def test_an_error_whose_code_is_no_text_is_not_from_the_api(test_cloud):
    body = b'{"code":400,"detail":"Log in to the Wi-Fi.","requestId":"r1"}'
    device = boot(test_cloud, MemoryStorage(), http=Portal("/telemetry", 400, body))
    device.record({"n": 1})
    with pytest.raises(DeviceError) as error:
        flush(device)
    assert (error.value.code, device.waiting) == ("unexpected_answer", 1)
