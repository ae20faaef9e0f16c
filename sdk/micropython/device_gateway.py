"""A device of the gateway in one file, for MicroPython 1.22 or later and CPython 3.8 or later.

It registers, logs in, keeps readings through outages and restarts, reads its configuration, runs commands, and downloads
signed firmware. It has no dependencies. README.md has an example. Copyright: MIT.
"""

import asyncio
import binascii
import errno
import gc
import hashlib
import json
import os
import random
import sys
import time

try:
    from asyncio import TimeoutError as _Timeout
except ImportError:  # pragma: no cover
    _Timeout = OSError

MAX_RECORD = 2048
"""Bytes of one record."""
MAX_REQUEST = 8192
"""Bytes of one telemetry request, which is in memory as a whole."""
MAX_RESPONSE = 24576
"""Bytes of one response in JSON. A login has the configuration, of which a device's own layer has up to 16,384 (§5)."""
MAX_HEAD = 16384
"""Bytes of the head of a response."""
MAX_INTERIM = 5
"""Heads of interim responses, such as 103, that may precede a response."""
PIECE = 2048
"""Bytes of an image that are in memory at once."""
CHECKPOINT = 16384
"""Bytes of an image after which its progress is saved. A power cut loses at most this much."""
MAX_RESTARTS = 3
"""How often a download may start again from the beginning, as in the reference updater."""
KNOWN_COMMANDS = 21
"""Ids of commands that are remembered: as many as can be open at once (§11)."""
UPDATE_NOW = "update-now"
"""The name of the owner's "update now": call `update`, then `finish_command`."""


def _collect():
    """Collects garbage where the heap is small."""
    if sys.implementation.name == "micropython":
        gc.collect()


async def _rest():
    """Lets other tasks run. The WebAssembly build collects garbage only in a pause."""
    _collect()
    await asyncio.sleep(0.001 if sys.platform == "webassembly" else 0)


class _Turn:
    """Lets one task at a time run a block. Unlike asyncio.Lock of CPython, it belongs to no event loop."""

    def __init__(self):
        self.ended = None  # an event while a task runs the block

    async def __aenter__(self):
        while self.ended is not None:
            await self.ended.wait()
        self.ended = asyncio.Event()

    async def __aexit__(self, *_):
        ended = self.ended
        self.ended = None
        ended.set()


class DeviceError(Exception):
    """Why a call failed: `code` is that of the API, `network`, `unexpected_answer`, `no_tls_context`, that of a refused
    offer, or that of a failed download: `flash_failed`, `hash_mismatch`, `image_keeps_changing`, `gone`.

    If `sign_in_failed`, the error is about the identity of the device, and the request itself was not sent.
    """

    def __init__(self, code, message, status=0, retry_after=0):
        super().__init__(message)
        self.code = code
        self.status = status
        self.retry_after = retry_after
        self.sign_in_failed = False

    def is_from_api(self):
        """Returns whether an error response came from the server, and not from a proxy before it."""
        return self.code != "unexpected_answer"

    def refuses_content(self):
        """Returns whether the content was refused: 413, also by a proxy with a lower limit, or 400 from the server."""
        refused = self.status == 413 or (self.status == 400 and self.is_from_api())
        return refused and not self.sign_in_failed

    def refuses_report(self):
        """Returns whether the server, or a proxy before it, refuses a report. A proxy may do so for a moment only."""
        may_pass = self.status in (401, 407, 408, 425, 429)
        return 400 <= self.status < 500 and not may_pass and not self.sign_in_failed

    def is_transient(self):
        """Returns whether the same request may succeed later."""
        return self.code == "network" or self.status == 429 or self.status >= 500


# --- Ports ------------------------------------------------------------------------------------------------------------


def system_now_ms():
    """Returns the time in epoch milliseconds, or 0 until the clock was set (§4)."""
    seconds = int(time.time())
    if time.gmtime(0)[0] == 2000:  # the epoch of most MicroPython ports
        seconds += 946684800
    return seconds * 1000 if seconds > 1700000000 else 0


class FileStorage:
    """Stores each value in a file. Replacing one is atomic on LittleFS and POSIX, but not on FAT.

    Raises OSError if a file cannot be read or written.
    """

    def __init__(self, folder):
        self.folder = folder
        try:
            os.mkdir(folder)
        except OSError:
            pass

    def load(self, key):
        try:
            with open(self.folder + "/" + key) as file:
                return file.read()
        except OSError as error:
            # Any other error must not look like a device without data: it would register again.
            if error.errno != errno.ENOENT:
                raise
            return None

    def save(self, key, text):
        path = self.folder + "/" + key
        with open(path + ".new", "w") as file:
            file.write(text)
            file.flush()
            if hasattr(os, "fsync"):
                os.fsync(file.fileno())
        os.rename(path + ".new", path)
        if hasattr(os, "sync"):
            os.sync()


class MemoryStorage:
    """Stores values in memory, for tests. They do not survive a restart."""

    def __init__(self):
        self.values = {}

    def load(self, key):
        return self.values.get(key)

    def save(self, key, text):
        self.values[key] = text


class SocketHttp:
    """HTTP over asyncio streams, one connection for each request. It follows no redirect.

    For HTTPS pass an `ssl.SSLContext` that checks certificates: verify_mode CERT_REQUIRED, and the authority loaded.
    """

    def __init__(self, ssl=None, timeout=30):
        self.ssl = ssl
        self.timeout = timeout

    async def request(self, method, url, headers, body):
        """Sends a request. Returns a response with `status`, `headers`, `read(n)` and `close()`.

        Raises OSError if there is no response, and DeviceError if the port cannot send the request at all.
        """
        secure, host, port, path = _split_url(url)
        if secure and self.ssl is None:
            message = "https needs a TLS context. Pass SocketHttp(ssl=context), which checks certificates."
            raise DeviceError("no_tls_context", message)
        secured = {"ssl": self.ssl, "server_hostname": host} if secure else {}
        reader, writer = await self._limit(asyncio.open_connection(host, port, **secured))
        response = _SocketResponse(self, reader, writer)
        try:
            head = [method + " " + path + " HTTP/1.1", "Host: " + url.split("/")[2], "Connection: close"]
            head += [name + ": " + value for name, value in headers.items()]
            if body is not None:
                head.append("Content-Length: " + str(len(body)))
            writer.write(("\r\n".join(head) + "\r\n\r\n").encode())
            if body is not None:
                writer.write(body)
            await self._limit(writer.drain())
            await response.read_head()
            return response
        except BaseException:
            await response.close()
            raise

    async def _limit(self, waiting):
        try:
            return await asyncio.wait_for(waiting, self.timeout)
        except _Timeout:
            raise OSError("no answer in time")
        except EOFError:
            raise OSError("the connection was closed")


class _SocketResponse:
    def __init__(self, http, reader, writer):
        self.http = http
        self.reader = reader
        self.writer = writer
        self.left = None  # bytes of the body, or of the chunk; None until the connection closes
        self.chunked = False
        self.rest = b""  # received, but not used yet

    async def _line(self, longest=MAX_HEAD):
        # The streams of MicroPython have no limit for a line.
        line = b""
        while len(line) <= longest:
            piece = self.rest or await self.http._limit(self.reader.read(256))
            if not piece:
                raise OSError("the connection was closed")
            end = piece.find(b"\n") + 1 or len(piece)
            line += piece[:end]
            self.rest = piece[end:]
            if line.endswith(b"\n"):
                return _decode(line).strip()
        raise OSError("the head of the response is too long")

    async def _one_head(self):
        words = (await self._line()).split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1."):
            raise OSError("not HTTP")
        self.status = _length(words[1])
        self.headers = {}
        left = MAX_HEAD
        for _ in range(100):
            line = await self._line(left)
            if line == "":
                return
            left -= len(line)
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        raise OSError("the head of the response is too long")

    async def read_head(self):
        await self._one_head()
        # The response follows interim ones (RFC 9110, section 15.2).
        interim = 0
        while self.status < 200:
            interim += 1
            if interim > MAX_INTERIM:
                raise OSError("too many interim responses")
            await self._one_head()
        if self.status in (204, 304):
            self.left = 0
        elif self.headers.get("transfer-encoding", "").lower() == "chunked":
            self.chunked = True
            self.left = 0
        elif "content-length" in self.headers:
            self.left = _length(self.headers["content-length"])

    async def read(self, count):
        """Returns at most `count` bytes of the body, or b"" at its end. Raises OSError if it breaks off."""
        if self.chunked and self.left == 0:
            self.left = _length((await self._line()).split(";")[0], 16)
            if self.left == 0:
                self.chunked = False
        if self.left == 0:
            return b""
        wanted = count if self.left is None else min(count, self.left)
        piece = self.rest[:wanted]
        self.rest = self.rest[wanted:]
        # Whole pieces, so that what is written to flash and each checkpoint do not depend on packets.
        while len(piece) < wanted:
            more = await self.http._limit(self.reader.read(wanted - len(piece)))
            if not more:
                break
            piece += more
        if self.left is None:
            return piece
        if not piece:
            raise OSError("the connection was closed")
        self.left -= len(piece)
        if self.chunked and self.left == 0:
            await self._line()
        return piece

    async def close(self):
        try:
            self.writer.close()
            await self.http._limit(self.writer.wait_closed())
        except OSError:
            pass


def _decode(line):
    try:
        return line.decode()
    except ValueError:
        raise OSError("not HTTP")


def _length(text, base=10):
    try:
        length = int(text, base)
    except ValueError:
        length = -1
    # A negative count would read until the connection closes.
    if length < 0:
        raise OSError("not HTTP: " + text[:20])
    return length


def _split_url(url):
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    host, _, port = place.partition(":")
    if scheme not in ("http", "https") or not host or not _is_digits(port or "0", 1, 5):
        raise ValueError("The address must be like https://gateway.example.com, but it is: " + url)
    secure = scheme == "https"
    return secure, host, int(port) if port else (443 if secure else 80), slash + path or "/"


# --- Device -----------------------------------------------------------------------------------------------------------


class Device:
    """A device that signs in when necessary, repeats requests that are safe to repeat, and buffers its readings.

    Several tasks may use it: one at a time signs in, flushes or updates. Only one task may run commands.
    """

    def __init__(
        self,
        base_url,
        device_id,
        claim_code,
        hardware_id,
        firmware_version,
        storage,
        target_hardware=None,
        http=None,
        now_ms=system_now_ms,
        sleep=None,
        buffer_records=64,
        tries=5,
        answer_seconds=60,
    ):
        _split_url(base_url)  # A wrong address must not look like an outage.
        self.origin = base_url.rstrip("/")
        self.api = self.origin + "/api/v1"
        self.identity = {
            "deviceId": device_id,
            "hardwareId": hardware_id,
            "targetHardware": target_hardware or hardware_id,
            "firmwareVersion": firmware_version,
        }
        self.claim_code = claim_code
        self.storage = storage
        self.http = http or SocketHttp()
        self.now_ms = now_ms
        self.sleep = sleep or asyncio.sleep
        self.tries = tries
        self.answer_seconds = answer_seconds
        self.token = None
        self.config = None
        self.dropped = 0
        self._signing_in = _Turn()
        self._flushing = _Turn()
        self._updating = _Turn()
        self._capacity = buffer_records
        self._open_buffer()
        self._load_command()

    # --- Requests

    async def _exchange(self, method, path, body, headers):
        response = await self.http.request(method, self.api + path, headers, body)
        try:
            pieces = []
            length = 0
            while length <= MAX_RESPONSE:
                piece = await response.read(1024)
                if not piece:
                    break
                length += len(piece)
                pieces.append(piece)
        finally:
            await response.close()
        # One copy while it is parsed: a small heap has no room for both.
        pieces = b"".join(pieces) if length <= MAX_RESPONSE else b""
        try:
            data = json.loads(pieces)
        except (ValueError, RuntimeError):  # RuntimeError: it is nested too deeply.
            data = None
        return response.status, response.headers, data if isinstance(data, dict) else None

    async def _send(self, method, path, body, headers, token):
        """Sends one request. Returns status, headers and JSON object of a success. Raises DeviceError."""
        headers = dict(headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = "Bearer " + token
        try:
            waiting = self._exchange(method, path, body, headers)
            if hasattr(asyncio, "wait_for"):
                waiting = asyncio.wait_for(waiting, self.answer_seconds)
            status, answered, data = await waiting
        except (OSError, _Timeout, ValueError) as fault:
            # MicroPython raises ValueError for a certificate that it cannot trust.
            raise DeviceError("network", "No answer from " + self.api + ": " + str(fault))
        is_unchanged = status == 304 and "If-None-Match" in headers
        if is_unchanged or status in (202, 204) or (status in (200, 201) and data is not None):
            return status, answered, data or {}
        # Each error of the API has a requestId (§0), also one whose code only a later version has.
        names = ("code", "detail", "requestId")
        is_problem = data is not None and all(isinstance(data.get(name), str) for name in names)
        problem = data if is_problem else {}
        raise DeviceError(
            problem.get("code", "unexpected_answer"),
            problem.get("detail", "HTTP " + str(status) + " that is not from the API. Check the address."),
            status,
            _seconds(answered.get("retry-after")),
        )

    async def _repeat(self, is_safe, send):
        """Repeats a request after transient errors, and after 429 even one that is not safe to repeat."""
        for attempt in range(self.tries):
            try:
                return await send()
            except DeviceError as error:
                may_repeat = error.is_transient() and (is_safe or error.status == 429)
                if not may_repeat or attempt + 1 == self.tries or error.retry_after > 60:
                    raise
                # A random part, so that a fleet does not return at the same moment.
                await self.sleep(error.retry_after + (random.getrandbits(10) / 1024) * (1 << attempt))

    async def call(self, method, path, body=None, headers=None, is_safe=True):
        """Calls a route with the device's token. After a 401 it signs in again, once.

        `body` is a dict or text in JSON. Returns status, headers and JSON object. Raises DeviceError.
        """
        if body is not None and not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        if self.token is None:
            await self.sign_in()

        def send():
            return self._send(method, path, body, headers or {}, self.token)

        try:
            return await self._repeat(is_safe, send)
        except DeviceError as error:
            # The status decides and not the code, because a proxy may have replaced the body.
            if error.status != 401:
                raise
        await self.sign_in()
        return await self._repeat(is_safe, send)

    async def _send_report(self, path, report, is_safe=True):
        """Sends a report. Only the answer of the API counts as a success, and not that of a captive portal."""
        status, _, answer = await self.call("POST", path, report, is_safe=is_safe)
        if answer.get("status") != "accepted":
            raise DeviceError("unexpected_answer", "The answer is not from the API. Check the address.", status)

    async def sign_in(self):
        """Logs in with the stored secret. If there is none or the server rejects it, registers (§1, §2).

        If another task signs in at the moment, waits for it, and tries again only if it has failed.
        """
        token = self.token
        async with self._signing_in:
            if self.token == token:
                try:
                    await self._log_in_or_register()
                except DeviceError as error:
                    error.sign_in_failed = True
                    raise

    def _load(self, key):
        """Returns a stored text, or "" if there is none or it is damaged. Raises OSError if it cannot be read."""
        try:
            return self.storage.load(key) or ""
        except ValueError:  # It is not UTF-8.
            return ""

    def _load_state(self, key):
        """Returns a stored object. It is empty if there is none or it is damaged. Raises OSError if it cannot be read."""
        try:
            state = json.loads(self._load(key))
        except ValueError:
            state = None
        return state if isinstance(state, dict) else {}

    async def _log_in_or_register(self):
        secret = self._load("secret")
        if secret:
            try:
                return await self._get_token("/device/login", secret)
            except DeviceError as error:
                if error.code != "invalid_credentials":
                    raise
        await self._get_token("/device/register", secret)

    async def _get_token(self, path, secret):
        body = dict(self.identity)
        if path == "/device/register":
            body["claimCode"] = self.claim_code
        if secret:
            body["deviceSecret"] = secret
        text = json.dumps(body).encode()
        _, _, answer = await self._repeat(True, lambda: self._send("POST", path, text, {}, None))
        if not isinstance(answer.get("token"), str):
            raise DeviceError("unexpected_answer", "The answer has no token. Check the address.", 200)
        if answer.get("deviceSecret"):
            # Stored before its token is used, because that use invalidates the former secret.
            self.storage.save("secret", answer["deviceSecret"])
        self.token = answer["token"]

    # --- Telemetry: record n is in slot n modulo the size of the buffer, so that a new one replaces the oldest.

    def _open_buffer(self):
        self._load_sent()
        newest = self._sent
        for slot in range(self._capacity):
            seq = self._load_state("r" + str(slot)).get("seq")
            if isinstance(seq, int):
                newest = max(newest, seq)
        self._next = newest + 1

    def _load_sent(self):
        state = self._load_state("sent")
        self._sent = state.get("sent", 0)
        self._sealed = state.get("last", 0)
        self._key = state.get("key")

    def _save_sent(self, sent, sealed=0, key=None):
        self.storage.save("sent", json.dumps({"sent": sent, "last": sealed, "key": key}))
        self._sent, self._sealed, self._key = sent, sealed, key

    @property
    def waiting(self):
        """Number of readings that the server has not acknowledged."""
        return self._next - 1 - max(self._sent, self._next - 1 - self._capacity)

    def record(self, values):
        """Stores a reading. It is durable when the call returns. A full buffer drops its oldest reading.

        A number that JSON does not have, NaN or an infinity, is stored as None.
        """
        record = {name: _finite(value) for name, value in values.items()}
        record["seq"] = self._next
        now = self.now_ms()
        if now and "timestamp" not in record:
            record["timestamp"] = now
        text = json.dumps(record)
        if len(text) > MAX_RECORD:
            raise ValueError("The record has more than " + str(MAX_RECORD) + " bytes.")
        if self.waiting == self._capacity:
            self.dropped += 1
        self.storage.save("r" + str(self._next % self._capacity), text)
        self._next += 1

    def _batch(self, first, last):
        texts = []
        length = 0
        for number in range(first, last + 1):
            text = self._load("r" + str(number % self._capacity))
            length += len(text) + 1
            if texts and length > MAX_REQUEST - 20:
                return texts, number - 1
            try:
                # A slot that was damaged is skipped.
                if json.loads(text)["seq"] == number:
                    texts.append(text)
            except (ValueError, KeyError, TypeError):
                pass
        return texts, last

    async def flush(self):
        """Sends all readings. After an error the rest stays for the next flush. Returns a report. Raises DeviceError.

        If another task flushes at the moment, waits for it, and sends what is left.
        """
        async with self._flushing:
            report = await self._flush()
        return report

    async def _flush(self):
        report = {"accepted": 0, "duplicates": 0, "rejected": 0, "refused": 0, "update_available": False}
        report["commands_waiting"] = False
        size = 50
        new_keys = 0
        while self.waiting > 0:
            _collect()
            oldest = max(self._sent + 1, self._next - self._capacity)
            if oldest > self._sent + 1:
                self._save_sent(oldest - 1)
            # A request that was sealed before a restart may end after the newest record that is left: later ones were
            # damaged. New records get their numbers, so its end must not count as sent.
            if not self._key or self._sealed < oldest or self._sealed >= self._next:
                texts, last = self._batch(oldest, min(self._next - 1, oldest + size - 1))
                # The key is stored first: a repeated request must have the same records.
                self._save_sent(self._sent, last, _hex(16))
            else:
                last = self._sealed
                texts, last = self._batch(oldest, last)
            if not texts:
                self._save_sent(last)
                continue
            body = '{"records":[' + ",".join(texts) + "]}"
            try:
                key = {"Idempotency-Key": self._key}
                status, _, answer = await self.call("POST", "/telemetry", body, key)
                if not _is_telemetry_answer(answer):
                    raise DeviceError("unexpected_answer", "The answer is not from the API.", status)
            except DeviceError as error:
                if error.code == "idempotency_key_reused" and new_keys < 3:
                    new_keys += 1
                    self._save_sent(self._sent)
                elif error.refuses_content() and (len(texts) > 1 or error.is_from_api()):
                    # Halve the request until the bad record is alone. Only the server's own refusal drops a record.
                    if len(texts) == 1:
                        report["refused"] += 1
                        self._save_sent(last)
                    else:
                        size = (last - oldest + 2) // 2
                        self._save_sent(self._sent)
                else:
                    raise
                continue
            self._save_sent(last)
            report["accepted"] += answer["accepted"]
            report["duplicates"] += answer["duplicates"]
            report["rejected"] += len(answer["rejected"])
            report["update_available"] = answer["updateAvailable"]
            report["commands_waiting"] = answer.get("commandsWaiting") is True
            report["server_time"] = answer["serverTime"]
        return report

    # --- Configuration

    async def read_config(self):
        """Returns the configuration. The server sends it only if it has changed (§5)."""
        known = self.config
        headers = {"If-None-Match": '"' + known["configVersion"] + '"'} if known else {}
        status, _, answer = await self.call("GET", "/device/config", None, headers)
        if status != 304:
            is_config = isinstance(answer.get("configVersion"), str)
            if not is_config or not _are_integers(answer, "telemetryIntervalSeconds"):
                raise DeviceError("unexpected_answer", "The answer is not from the API.", 200)
            self.config = answer
        else:
            # The version does not include the hint: a 304 means that no command waits.
            known.pop("commandsWaiting", None)
        return self.config

    # --- Commands: one at a time. Its id is stored before it runs, and its report until the server has it.

    def _load_command(self):
        state = self._load_state("command")
        self._known = state.get("ids", [])
        self._report = state.get("report")
        self._begun = False

    def _save_command(self, ids, report):
        self.storage.save("command", json.dumps({"ids": ids, "report": report}))
        self._known, self._report = ids, report

    async def _report_command(self, is_repeated=False):
        """Reports the last command unless the server has its report. Raises DeviceError.

        A proxy may refuse every request for a moment, so its refusal counts only if `is_repeated`: this report was
        refused before, and the server has answered another request since. A 404 of the server is about the address.
        """
        if self._report is None:
            return
        path = "/device/commands/" + self._known[-1] + "/result"
        try:
            try:
                await self._send_report(path, self._report)
            except DeviceError as error:
                counts = error.status not in (404, 405) if error.is_from_api() else is_repeated
                if not error.refuses_report() or not counts:
                    raise
                # Without the result and the message, which a proxy may take for an attack.
                brief = {"status": self._report["status"]}
                if error.is_from_api() and error.refuses_content():
                    brief["message"] = "The server refused the result. It is too large or nested too deeply."
                await self._send_report(path, brief)
        except DeviceError as error:
            # The server has deleted the command, or it was of an earlier registration.
            if error.code != "command_not_found":
                raise
        self._save_command(self._known, None)

    async def _report_due(self):
        """Reports the last command. A report that is refused holds up no other command."""
        try:
            return await self._report_command()
        except DeviceError as error:
            if not error.refuses_report():
                raise
            if error.is_from_api() and error.status not in (404, 405):
                return
        # The next response has the command again (§11), and its time begins then.
        await self._fetch_commands(0)
        try:
            await self._report_command(True)
        except DeviceError as error:
            if not error.refuses_report():
                raise

    async def _fetch_commands(self, wait):
        path = "/device/commands?limit=1&wait=" + str(wait)
        if self._known:
            path += "&after=" + self._known[-1]
        _, _, answer = await self.call("GET", path)
        commands = answer.get("commands")
        if not isinstance(commands, list):
            raise DeviceError("unexpected_answer", "The answer is not from the API.", 200)
        return commands

    async def next_command(self, wait=0):
        """Returns the next command: `name`, `payload`, `commandId` and `expiresInSeconds`. None if there is none (§11).

        Run it at once, and then call `finish_command`. The id is stored first, so a command runs at most once: one that
        was not finished, for example because the power failed, is reported as `unknown` and not returned again.
        A report that a proxy refuses is sent again, before and after another request. If the proxy refuses both, or if the
        server refuses one, the report is sent without its result and message. If that is refused too, it stays stored
        until the next command. A report for which the server has no route (404 `not_found`: a wrong address) is always
        sent whole.
        `wait` is how many seconds, up to 45, the server waits for a command. The timeout of the HTTP port must be
        longer. If the call returns None earlier, pause for five seconds before the next one. Raises DeviceError.
        """
        self._begun = False
        await self._report_due()
        commands = await self._fetch_commands(wait)
        if not commands:
            return None
        command = commands[0]
        command_id = command.get("commandId") if isinstance(command, dict) else None
        if not isinstance(command_id, str):
            raise DeviceError("unexpected_answer", "The answer is not from the API.", 200)
        is_known = command_id in self._known
        ids = [known for known in self._known if known != command_id][1 - KNOWN_COMMANDS :] + [command_id]
        # What is reported if the device restarts before it has finished the command.
        message = "The device restarted while it ran the command."
        self._save_command(ids, {"status": "unknown", "message": message})
        # A server whose database was restored returns commands that were run before.
        if is_known:
            return None
        self._begun = True
        return command

    async def finish_command(self, status="done", result=None, message=None):
        """Stores and reports the outcome of the command: `done` or `failed`, with any JSON value and a text.

        NaN and the infinities become None, as in `record`.
        If it raises DeviceError, the report is stored, and the next `next_command` repeats it: the device may restart now.
        """
        if not self._begun:
            raise ValueError("No command was begun.")
        report = {"status": status}
        try:
            result = _finite(result)
            json.loads(json.dumps(result))
            if result is not None:
                report["result"] = result
        except (ValueError, TypeError, RuntimeError):  # RuntimeError: it is nested too deeply, or contains itself.
            message = "The result is not JSON."
        if message:
            report["message"] = message
        self._save_command(self._known, report)
        self._begun = False
        await self._report_command()

    # --- Updates

    async def check_update(self):
        """Returns the offered release, or None. Verify it before you install it."""
        running = self.identity["firmwareVersion"]
        _, _, answer = await self.call("GET", "/ota/latest?currentVersion=" + running)
        if answer.get("updateAvailable") is False:
            return None
        texts = ("version", "targetHardware", "releasedAt", "sha256", "signature", "signingKeyId", "downloadUrl")
        whole = answer.get("updateAvailable") is True and isinstance(answer.get("size"), (int, float))
        if not whole or not all(isinstance(answer.get(name), str) for name in texts):
            raise DeviceError("unexpected_answer", "The answer is not from the update API.", 200)
        return answer

    async def report_update(self, state, version, message=None):
        """Reports a step of an update, such as `installing`, `failed` or `rolled_back` (§6)."""
        report = {"state": state, "version": version}
        if message:
            report["message"] = message
        await self._send_report("/ota/events", report, is_safe=False)

    async def update(self, slot, keys, install, floor=None):
        """Checks, verifies, downloads and installs a release. Returns its version, or None if there is none.

        `slot` is the place for the image: `capacity`, `begin(size)`, `write(offset, bytes)`, `read(offset, count)`.
        `keys` has the pinned public keys (PEM) by their ids, `floor` is the highest version ever confirmed.
        `install(offer)` makes the bootloader start the slot. Then restart: a failed self-test is yours to roll back.
        If another task updates at the moment, waits for it first.
        """
        async with self._updating:
            version = await self._update(slot, keys, install, floor)
        return version

    async def _update(self, slot, keys, install, floor):
        offer = await self.check_update()
        if offer is None:
            return None
        version = offer["version"]
        running = self.identity["firmwareVersion"]
        facts = (self.identity["targetHardware"], running, floor or running, slot.capacity)
        failure = "rejected"
        try:
            await verify_offer(offer, facts, keys)
            failure = "failed"
            await self._tell("downloading", version)
            await self.download(offer, slot)
        except DeviceError as error:
            if not error.is_transient():
                # The server no longer offers the release, so the image did not fail.
                state = "cancelled" if error.code == "gone" else failure
                await self._tell(state, version, error.code)
            raise
        for state in ("downloaded", "verified", "installing"):
            await self._tell(state, version)
        install(offer)
        await self._tell("rebooting", version)
        return version

    async def _tell(self, state, version, message=None):
        try:
            await self.report_update(state, version, message)
        except DeviceError:
            pass  # a report is worth less than the update

    async def download(self, offer, slot):
        """Downloads an image into the slot, from where an earlier download stopped, and checks its SHA-256."""
        failures = 0
        self._restarts = 0
        while True:
            offset, etag = self._load_progress(offer)
            try:
                return await self._download_from(offer, slot, offset, etag)
            except DeviceError as error:
                advanced = self._load_progress(offer)[0] > offset
                failures = 1 if advanced else failures + 1
                if not error.is_transient() or failures >= self.tries or error.retry_after > 60:
                    raise
                await self.sleep(error.retry_after + (random.getrandbits(10) / 1024) * (1 << failures))

    def _load_progress(self, offer):
        state = self._load_state("download")
        if state.get("sha256") != offer["sha256"]:
            return 0, None
        return state["offset"], state["etag"]

    def _save_progress(self, offer, offset, etag):
        # Without a strong validator the rest could belong to another image (RFC 9110, section 13.1.5).
        known = etag if etag and etag.startswith('"') else None
        state = {"sha256": offer["sha256"], "offset": offset if known else 0, "etag": known}
        self.storage.save("download", json.dumps(state))

    async def _open_download(self, offer, offset, etag):
        url = offer["downloadUrl"]
        is_own = url.startswith(self.origin + "/")
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = "bytes=" + str(offset) + "-"
            headers["If-Range"] = etag
        for attempt in range(2):
            if is_own:
                # The token is sent only to the gateway's own origin.
                if self.token is None or attempt:
                    await self.sign_in()
                headers["Authorization"] = "Bearer " + self.token
            try:
                response = await self.http.request("GET", url, headers, None)
            except (OSError, _Timeout, EOFError, ValueError) as fault:
                raise _broke_off(fault)
            if response.status != 401 or not is_own or attempt:
                return response
            await response.close()

    async def _download_from(self, offer, slot, offset, etag):
        size = offer["size"]
        # Nothing is left to request if the power failed after the last piece.
        received = await (_hash_slot(slot, size) if offset >= size else self._receive(offer, slot, offset, etag))
        # What was received, and what the flash returns.
        for digest in (received, await _hash_slot(slot, size)):
            if binascii.hexlify(digest.digest()).decode() != offer["sha256"]:
                self.storage.save("download", "{}")
                raise DeviceError("hash_mismatch", "The image is not the one that was signed.")

    async def _receive(self, offer, slot, offset, etag):
        """Writes the image from an offset on into the slot. Returns the hash of the whole image."""
        response = await self._open_download(offer, offset, etag)
        try:
            if response.status == 416:
                # The next request is for the whole image.
                self._start_again()
                self.storage.save("download", "{}")
            from_offset = _judge_head(response, offer, offset)
            tag = response.headers.get("etag")
            if from_offset < offset:
                self._start_again()
            if from_offset == 0:
                # First, so that a power cut leaves no offset over an erased slot.
                self._save_progress(offer, 0, tag)
                _use_slot(slot.begin, offer["size"])
            hashed = await _hash_slot(slot, from_offset)
            done = saved = from_offset
            while done < offer["size"]:
                try:
                    piece = await response.read(min(PIECE, offer["size"] - done))
                except (OSError, _Timeout, EOFError) as fault:
                    raise _broke_off(fault)
                if not piece:
                    raise _broke_off("the image is not complete")
                _use_slot(slot.write, done, piece)
                hashed.update(piece)
                done += len(piece)
                if done - saved >= CHECKPOINT:
                    self._save_progress(offer, done, tag)
                    saved = done
                    _collect()
            return hashed
        finally:
            await response.close()

    def _start_again(self):
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            raise DeviceError("image_keeps_changing", "The download started again 3 times.")


def _broke_off(fault):
    return DeviceError("network", "The download broke off: " + str(fault))


def _use_slot(operation, *given):
    """Calls an operation of the slot. A fault of the flash must not look like one of the network."""
    try:
        return operation(*given)
    except OSError as fault:
        raise DeviceError("flash_failed", "The slot for the image failed: " + str(fault))


def _judge_head(response, offer, offset):
    """Returns the offset at which the body of a download begins (RFC 9110, section 14)."""
    status, headers = response.status, response.headers
    if status == 416 and offset:
        raise DeviceError("network", "The server cannot send the rest.", 500)
    if status not in (200, 206):
        transient = status in (401, 408, 429) or status >= 500
        code = "network" if transient else "gone" if status in (404, 410) else "unexpected_answer"
        message = "The server answered the download with HTTP " + str(status) + "."
        raise DeviceError(code, message, status, _seconds(headers.get("retry-after")))
    start = offset if status == 206 else 0
    size = offer["size"]
    if status == 206 and headers.get("content-range") != "bytes %d-%d/%d" % (offset, size - 1, size):
        raise DeviceError("unexpected_answer", "The server sent another part of the image.", status)
    if headers.get("content-length", str(size - start)) != str(size - start):
        raise DeviceError("network", "The length of the image is wrong.", status)
    return start


async def _hash_slot(slot, end):
    hashed = hashlib.sha256()
    for at in range(0, end, PIECE):
        hashed.update(_use_slot(slot.read, at, min(PIECE, end - at)))
        if at % (PIECE * 4) == 0:
            await _rest()
    return hashed


def _seconds(text):
    """Returns Retry-After in seconds. A date counts as absent."""
    try:
        return max(0, int(text))
    except (TypeError, ValueError):
        return 0


def _are_integers(answer, *names):
    """Returns whether the members are integers. For isinstance, True and False are integers too."""
    return all(type(answer.get(name)) is int for name in names)


def _is_telemetry_answer(answer):
    """Returns whether an object has every member that a response to telemetry always has (§4)."""
    return (
        _are_integers(answer, "accepted", "duplicates")
        and isinstance(answer.get("rejected"), list)
        and isinstance(answer.get("updateAvailable"), bool)
        and isinstance(answer.get("serverTime"), str)
        and isinstance(answer.get("configVersion"), str)
    )


def _finite(value):
    """Returns a copy of a value with None for NaN and the infinities, as JSON.stringify of JavaScript writes them."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(member) for member in value]
    return value


def _hex(count):
    return "".join("%02x" % random.getrandbits(8) for _ in range(count))


# --- Verification of offers: the rules and vectors of the reference updater --------------------------------------------


async def verify_offer(offer, facts, keys):
    """Checks the fields of an offer, then its signature. Raises DeviceError with the code of the refusal.

    `facts` are (target hardware, running version, highest confirmed version, size of the slot). `keys` has the pinned
    public keys (PEM) by their ids: ECDSA over P-256 only, because MicroPython has no SHA-512, which Ed25519 needs.
    """
    target, running, floor, capacity = facts
    version = _numbers(offer["version"])
    size = offer["size"]
    wellformed = (
        version is not None
        and _is_line(offer["targetHardware"])
        and _is_time(offer["releasedAt"])
        and _is_hash(offer["sha256"])
        and isinstance(size, int)
        and size > 0
    )
    if not wellformed:
        raise _refusal("malformed_offer")
    if offer["targetHardware"] != target:
        raise _refusal("wrong_target")
    if version <= _numbers(running):
        raise _refusal("not_newer")
    if version < _numbers(floor):
        raise _refusal("rollback")
    if size > capacity:
        raise _refusal("too_large")
    if offer["signingKeyId"] not in keys:
        raise _refusal("unknown_key")
    if offer.get("signatureAlgorithm") != "ecdsa-p256-sha256":
        raise _refusal("wrong_algorithm")
    lines = "\n".join((offer["version"], offer["targetHardware"], offer["releasedAt"], offer["sha256"]))
    if not await verify_p256(_read_key(keys[offer["signingKeyId"]]), lines.encode(), offer["signature"]):
        raise _refusal("invalid_signature")


def _refusal(code):
    return DeviceError(code, "The offer is refused: " + code + ".")


def _is_digits(text, low, high):
    return low <= len(text) <= high and all(letter in "0123456789" for letter in text)


def _numbers(version):
    parts = version.split(".")
    if len(parts) != 3 or not all(_is_digits(part, 1, 9) for part in parts):
        return None
    return tuple(int(part) for part in parts)


def _is_line(text):
    ends = "\x7f\u2028\u2029"
    return 0 < len(text) <= 128 and all(letter >= " " and letter not in ends for letter in text)


def _is_hash(text):
    return len(text) == 64 and all(letter in "0123456789abcdef" for letter in text)


def _is_time(text):
    """RFC 3339 with optional fractions of a second."""
    date, rest, zone = text[:10], text[10:19], text[19:]
    if zone[:1] == ".":
        fraction = 1
        while zone[fraction : fraction + 1] and zone[fraction] in "0123456789":
            fraction += 1
        if not 2 <= fraction <= 10:
            return False
        zone = zone[fraction:]
    fields = (date[:4], date[5:7], date[8:10], rest[1:3], rest[4:6], rest[7:9])
    marks = date[4:5] + date[7:8] + rest[:1] + rest[3:4] + rest[6:7]
    if marks != "--T::" or not all(_is_digits(field, len(field) or 1, 4) for field in fields):
        return False
    if [len(field) for field in fields] != [4, 2, 2, 2, 2, 2]:
        return False
    if zone == "Z":
        return True
    offset = zone[1:3] + zone[4:6]
    return zone[:1] in ("+", "-") and zone[3:4] == ":" and len(zone) == 6 and _is_digits(offset, 4, 4)


_P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_SPKI = binascii.unhexlify(b"3059301306072a8648ce3d020106082a8648ce3d03010703420004")


def _read_key(pem):
    lines = [line.strip() for line in pem.strip().split("\n")]
    der = binascii.a2b_base64("".join(lines[1:-1]).encode())
    if len(der) != 91 or not der.startswith(_SPKI):
        raise ValueError("The key is not a public key for ECDSA over P-256.")
    x = int.from_bytes(der[27:59], "big")
    y = int.from_bytes(der[59:], "big")
    if x >= _P or y >= _P or (y * y - (x * x * x - 3 * x + _B)) % _P:
        raise ValueError("The key is not a point of the curve.")
    return x, y


def _read_der(der):
    """Returns r and s of a signature in strict DER (RFC 3279, section 2.2.3), or None."""
    if len(der) < 2 or der[0] != 0x30 or der[1] != len(der) - 2:
        return None
    numbers = []
    at = 2
    for _ in range(2):
        if len(der) < at + 3 or der[at] != 2:
            return None
        length = der[at + 1]
        digits = der[at + 2 : at + 2 + length]
        if len(digits) != length or length == 0 or digits[0] >= 0x80:
            return None
        if digits[0] == 0 and (length == 1 or digits[1] < 0x80):
            return None
        numbers.append(int.from_bytes(digits, "big"))
        at += 2 + length
    return numbers if at == len(der) else None


async def verify_p256(key, message, signature):
    """Verifies an ECDSA signature over P-256 in base64 (FIPS 186-5, section 6.4.2). Takes a second or more on a chip."""
    try:
        pair = _read_der(binascii.a2b_base64(signature.encode()))
    except ValueError:
        return False
    if pair is None or not (0 < pair[0] < _N and 0 < pair[1] < _N):
        return False
    r, s = pair
    inverse = pow(s, _N - 2, _N)
    hashed = int.from_bytes(hashlib.sha256(message).digest(), "big")
    first = hashed * inverse % _N
    second = r * inverse % _N
    # Both multiplications at once: each bit adds one point, the other, or their sum.
    both = _to_affine(_add(_G + (1,), key))
    point = None
    for bit in range(255, -1, -1):
        point = _double(point)
        choice = (first >> bit & 1) + 2 * (second >> bit & 1)
        if choice:
            point = _add(point, (_G, key, both)[choice - 1])
        if bit % 4 == 0:
            await _rest()
    affine = _to_affine(point)
    return affine is not None and affine[0] % _N == r


def _to_affine(point):
    if point is None:
        return None
    x, y, z = point
    inverse = pow(z, _P - 2, _P)
    square = inverse * inverse % _P
    return x * square % _P, y * square * inverse % _P


def _double(point):
    """Doubles a point in Jacobian coordinates. None is the point at infinity."""
    if point is None:
        return None
    x, y, z = point
    square = y * y % _P
    s = 4 * x * square % _P
    zz = z * z % _P
    m = 3 * (x - zz) * (x + zz) % _P
    nx = (m * m - 2 * s) % _P
    return nx, (m * (s - nx) - 8 * square * square) % _P, 2 * y * z % _P


def _add(point, affine):
    """Adds an affine point to a point in Jacobian coordinates."""
    if affine is None:
        return point
    if point is None:
        return affine + (1,)
    x, y, z = point
    zz = z * z % _P
    h = (affine[0] * zz - x) % _P
    r = (affine[1] * zz * z - y) % _P
    if h == 0:
        return None if r else _double(point)
    hh = h * h % _P
    hhh = h * hh % _P
    v = x * hh % _P
    nx = (r * r - hhh - 2 * v) % _P
    return nx, (r * (v - nx) - y * hhh) % _P, z * h % _P
