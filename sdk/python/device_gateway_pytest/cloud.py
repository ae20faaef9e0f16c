"""A client of the test cloud's control API. It needs the standard library only."""

import functools
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import namedtuple

Device = namedtuple("Device", "device_id claim_code device_secret token")
"""A device that the cloud registered."""


class ControlError(Exception):
    """The control API refused a request. The message says why."""


@functools.lru_cache(maxsize=8)
def _opener(authority):
    """Returns an opener for requests. It is cached, because loading the certificates of the system takes long."""
    # No proxy: the cloud is on this machine or in the network of the bench.
    tls = urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=authority))
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), tls)


def _open(method, url, body=None, headers=None, authority=None):
    """Sends a request. Returns status, media type and bytes, for an error status too.

    `authority` is the certificate (PEM) to trust. Default: those of the system.
    """
    request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
    try:
        with _opener(authority).open(request, timeout=60) as response:
            return response.status, response.headers.get_content_type(), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get_content_type(), error.read()


class Cloud:
    """A test cloud. `control_url` is the address of its control API."""

    def __init__(self, control_url, token=None):
        self.control_url = control_url.rstrip("/")
        self._headers = {"Authorization": "Bearer " + token} if token else {}

    def _call(self, method, path, body=None, query=None):
        headers = dict(self._headers)
        if body is not None and not isinstance(body, (bytes, bytearray)):
            body = json.dumps({key: value for key, value in body.items() if value is not None}).encode()
            headers["Content-Type"] = "application/json"
        given = {key: value for key, value in (query or {}).items() if value is not None}
        url = self.control_url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        status, _, answer = _open(method, url, body, headers)
        if status >= 400:
            try:
                reason = json.loads(answer)["error"]
            except (ValueError, KeyError, TypeError):
                reason = answer[:200].decode(errors="replace")
            raise ControlError("%s %s: HTTP %d: %s" % (method, path, status, reason))
        return json.loads(answer) if answer else None

    # What devices need

    @property
    def url(self):
        """The address for devices."""
        return self._call("GET", "/cloud")["url"]

    @property
    def release_key(self):
        """The public key of the releases: a dict with `id` and `pem`."""
        return self._call("GET", "/cloud")["releaseKey"]

    @property
    def tls_authority(self):
        """The certificate (PEM) that devices must trust if the address is HTTPS."""
        return self._call("GET", "/cloud")["tlsAuthority"]

    # The cloud

    def reset(self, clock="real", limits=None, commands=()):
        """Replaces everything with a new, empty cloud.

        `clock="still"` stands still until it is advanced. `commands` are the names that `send_command` may use.
        """
        plan = {"clock": clock, "limits": limits or {}, "commands": list(commands)}
        self._call("POST", "/cloud/reset", plan)

    def go_offline(self):
        """Closes the port for devices, and all of its connections."""
        self._call("POST", "/cloud/offline")

    def go_online(self):
        self._call("POST", "/cloud/online")

    def restart(self):
        """Restarts the gateway over the same data. What it had only in memory is lost."""
        self._call("POST", "/cloud/restart")

    def present_certificate(self, kind):
        """Presents a `self_signed` or `expired` certificate, one with a `wrong_name`, or the `valid` one again."""
        self._call("PUT", "/cloud/certificate", {"kind": kind})

    # Time

    @property
    def now(self):
        """The cloud's clock in epoch milliseconds."""
        return self._call("GET", "/cloud")["now"]

    def advance(self, seconds):
        """Advances the cloud's clock, and runs maintenance if its last round is 10 minutes ago or more.

        Maintenance deletes expired data, and ends overdue updates and commands.
        """
        self._call("POST", "/clock/advance", {"ms": int(seconds * 1000)})

    def expire_tokens(self):
        """Advances the clock beyond the lifetime of every issued device token."""
        self._call("POST", "/tokens/expire")

    # Devices, users and releases

    def add_device(self, device_id=None, claim_code=None, hardware_id=None, firmware_version=None, owner=None):
        """Registers a device, and claims it if an owner is given."""
        plan = {
            "deviceId": device_id,
            "claimCode": claim_code,
            "hardwareId": hardware_id,
            "firmwareVersion": firmware_version,
            "owner": owner,
        }
        added = self._call("POST", "/devices", plan)
        return Device(added["deviceId"], added["claimCode"], added["deviceSecret"], added["token"])

    def revoke(self, device_id):
        """Revokes a device. Its tokens and secrets are rejected from now on."""
        self._call("POST", "/devices/%s/revoke" % urllib.parse.quote(device_id, safe=""))

    def sign_in(self, user_id, operator=False, email_verified=True):
        """Creates an account and returns its bearer token for `api`."""
        user = {"id": user_id, "operator": operator, "emailVerified": email_verified}
        return self._call("POST", "/users", user)["token"]

    def api(self, method, path, token=None, body=None):
        """Calls the gateway's own API below /api/v1. Returns the status and the body of the response.

        The body is what its JSON contains, a text if it is not JSON, or None if it is empty.
        """
        headers = {"Authorization": "Bearer " + token} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        cloud = self._call("GET", "/cloud")
        url = cloud["url"] + "/api/v1" + path
        status, media_type, answer = _open(method, url, body, headers, cloud["tlsAuthority"])
        # A trail of one line would also be JSON.
        if answer and media_type in ("application/json", "application/problem+json"):
            try:
                return status, json.loads(answer)
            except ValueError:  # A planned fault has cut or corrupted it.
                pass
        return status, answer.decode(errors="replace") or None

    def add_release(self, version, target_hardware, image, rollout_percent=None, rollout_channel=None):
        """Signs a release of the image (bytes), uploads and activates it."""
        query = {
            "version": version,
            "targetHardware": target_hardware,
            "rolloutPercent": rollout_percent,
            "rolloutChannel": rollout_channel,
        }
        return self._call("POST", "/releases", bytes(image), query)

    # Commands

    def send_command(self, device_id, name, payload=None):
        """Sends a command to a device and returns its id. `reset(commands=[...])` declares the names."""
        path = "/devices/%s/commands" % urllib.parse.quote(device_id, safe="")
        return self._call("POST", path, {"name": name, "payload": payload or {}})["commandId"]

    def read_command(self, device_id, command_id):
        """Returns a command as a dict, with its `state` and the device's `answer`."""
        return self._call("GET", "/devices/%s/commands/%s" % (urllib.parse.quote(device_id, safe=""), command_id))

    # Faults

    def fail(self, route, kind, times=None, after=None, **details):
        """Plans a fault for the next requests of a route, such as `cloud.fail("readConfig", "delayed", ms=500)`."""
        fault = dict(details, kind=kind)
        self._call("POST", "/faults", {"route": route, "fault": fault, "times": times, "after": after})

    def clear_faults(self):
        self._call("DELETE", "/faults")

    # What the cloud has seen

    def requests(self, route=None):
        """Returns the requests of devices and users as dicts, oldest first."""
        return self._call("GET", "/requests", query={"route": route})["requests"]

    def wait_for(self, route, count=1, timeout=30):
        """Waits until the cloud has seen `count` requests of a route, and returns them. For real hardware."""
        ends = time.monotonic() + timeout
        while True:
            seen = self.requests(route)
            if len(seen) >= count:
                return seen
            if time.monotonic() > ends:
                raise AssertionError("%d of %d requests of %s after %s s" % (len(seen), count, route, timeout))
            time.sleep(0.02)

    def records(self, device_id):
        """Returns a device's stored records as sent, in the order of arrival."""
        path = "/devices/%s/records" % urllib.parse.quote(device_id, safe="")
        return self._call("GET", path)["records"]

    def audit_trail(self):
        """Returns every security event, oldest first."""
        return self._call("GET", "/audit-trail")["events"]
