"""What the tests of the MicroPython client share: a device without delays, its slot, and the faults around it."""

import asyncio
import json

from device_gateway import Device, SocketHttp

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


def flush(device):
    return asyncio.run(device.flush())


def numbers(cloud):
    return [record["n"] for record in cloud.records("gw-1")]


def problem(code):
    """Returns the body of an error of the gateway."""
    return json.dumps({"code": code, "detail": "No.", "requestId": "r1"}).encode()


class PowerCut(Exception):
    """The device loses power."""


class FixedResponse:
    """A response of a port for HTTP that does not come from the gateway."""

    headers = {}

    def __init__(self, status, body=b""):
        self.status = status
        self.body = body

    async def read(self, count):
        piece, self.body = self.body[:count], self.body[count:]
        return piece

    async def close(self):
        pass


class Firewall(SocketHttp):
    """A proxy that refuses each request whose body contains some bytes."""

    def __init__(self, refused):
        super().__init__()
        self.refused = refused

    async def request(self, method, url, headers, body):
        if body is not None and self.refused in body:
            return FixedResponse(403, b"<html>Forbidden</html>")
        return await super().request(method, url, headers, body)


class Portal(SocketHttp):
    """A captive portal, or another server, that answers the requests to one path, all or the first `times`.

    It keeps their bodies.
    """

    def __init__(self, end_of_path, status, body=b"", times=float("inf")):
        super().__init__()
        self.end_of_path = end_of_path
        self.given = (status, body)
        self.times = times
        self.bodies = []

    async def request(self, method, url, headers, body):
        if url.endswith(self.end_of_path) and len(self.bodies) < self.times:
            self.bodies.append(body)
            return FixedResponse(*self.given)
        return await super().request(method, url, headers, body)
