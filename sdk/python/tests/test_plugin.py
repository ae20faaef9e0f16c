"""The plugin against a real process of the test cloud."""

import http.client
import json
import os
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from device_gateway_pytest import Cloud, ControlError, start_cloud


def send(cloud, device, body):
    """Sends telemetry like a simple device. Returns the status, or None without a whole response."""
    headers = {"Authorization": "Bearer " + device.token, "Content-Type": "application/json"}
    request = urllib.request.Request(
        cloud.url + "/api/v1/telemetry", data=json.dumps(body).encode(), headers=headers
    )
    try:
        with urllib.request.urlopen(request) as response:
            response.read()
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, http.client.HTTPException):
        return None


def test_the_cloud_stores_what_a_device_sends(test_cloud, device):
    assert send(test_cloud, device, {"soc": 64}) == 200
    assert test_cloud.records(device.device_id) == [{"soc": 64}]
    (seen,) = test_cloud.wait_for("sendTelemetry")
    assert seen["body"] == {"soc": 64}
    assert seen["headers"]["authorization"] == "Bearer " + device.token


def test_each_test_gets_an_empty_cloud(test_cloud):
    assert test_cloud.requests() == []


def test_faults_happen_as_planned(test_cloud, device):
    test_cloud.fail("sendTelemetry", "server_error", status=502, times=2, after=1)
    assert [send(test_cloud, device, {"n": n}) for n in range(4)] == [200, 502, 502, 200]
    test_cloud.fail("any", "lost_answer")
    assert send(test_cloud, device, {"n": 4}) is None
    test_cloud.fail("sendTelemetry", "wrong_length", by=10, times=9)
    assert send(test_cloud, device, {"n": 5}) is None
    test_cloud.clear_faults()
    assert send(test_cloud, device, {"n": 6}) == 200
    assert [record["n"] for record in test_cloud.records(device.device_id)] == [0, 3, 4, 5, 6]


def test_the_cloud_goes_offline_and_restarts(test_cloud, device):
    test_cloud.go_offline()
    assert send(test_cloud, device, {}) is None
    test_cloud.go_online()
    test_cloud.restart()
    assert send(test_cloud, device, {}) == 200


def test_time_passes_when_the_test_says_so(test_cloud, device):
    test_cloud.reset(clock="still", limits={"tokenTtlSeconds": 300})
    device = test_cloud.add_device(device_id="gw-1", firmware_version="1.2.3")
    before = test_cloud.now
    test_cloud.advance(60)
    assert test_cloud.now == before + 60_000
    assert send(test_cloud, device, {}) == 200
    test_cloud.expire_tokens()
    assert send(test_cloud, device, {}) == 401


def test_maintenance_runs_when_time_passes(test_cloud, device):
    test_cloud.advance(8 * 86_400)
    body = {"deviceId": device.device_id, "deviceSecret": device.device_secret}
    status, problem = test_cloud.api("POST", "/device/login", body=body)
    assert (status, problem["code"]) == (401, "invalid_credentials")
    assert "device.dropped" in [event["kind"] for event in test_cloud.audit_trail()]


def test_users_and_operators_call_the_gateway(test_cloud):
    device = test_cloud.add_device(owner="alice")
    operator = test_cloud.sign_in("olga", operator=True)
    status, listed = test_cloud.api("GET", "/operator/devices", operator)
    assert (status, listed["devices"][0]["ownerId"]) == (200, "alice")
    release = test_cloud.add_release("1.1.0", "esp32:devkit-v1", b"image", rollout_percent=50)
    assert release["rolloutPercent"] == 50
    test_cloud.revoke(device.device_id)
    assert send(test_cloud, device, {}) == 401
    assert "device.revoked" in [event["kind"] for event in test_cloud.audit_trail()]


def test_commands_reach_a_device(test_cloud):
    test_cloud.reset(commands=["reboot"])
    device = test_cloud.add_device(device_id="gw-1")
    command_id = test_cloud.send_command("gw-1", "reboot", {"delaySeconds": 5})
    assert test_cloud.read_command("gw-1", command_id)["state"] == "pending"
    status, waiting = test_cloud.api("GET", "/device/commands", device.token)
    assert [(each["name"], each["payload"]) for each in waiting["commands"]] == [("reboot", {"delaySeconds": 5})]
    path = "/device/commands/%s/result" % command_id
    test_cloud.api("POST", path, device.token, {"status": "failed", "message": "the relay is stuck"})
    command = test_cloud.read_command("gw-1", command_id)
    assert (command["state"], command["answer"]["message"]) == ("failed", "the relay is stuck")
    with pytest.raises(ControlError, match="The commands are: reboot."):
        test_cloud.send_command("gw-1", "blink")


def test_a_mistake_in_a_test_is_an_error_with_a_reason(test_cloud):
    with pytest.raises(ControlError, match="fault.kind"):
        test_cloud.fail("sendTelemetry", "flood")
    with pytest.raises(ControlError, match="device_not_found"):
        test_cloud.revoke("gw-9")
    with pytest.raises(ControlError, match="Leave out update-now"):
        test_cloud.reset(commands=["update-now"])
    with pytest.raises(AssertionError, match="0 of 1 requests of readConfig"):
        test_cloud.wait_for("readConfig", timeout=0)
    with pytest.raises(RuntimeError, match="cannot be started"):
        start_cloud("no-such-program")


def test_a_device_refuses_bad_certificates(test_cloud, cloud_command):
    process = start_cloud(cloud_command + " --tls")
    try:
        cloud = Cloud(process.control_url)
        trusted = ssl.create_default_context(cadata=cloud.tls_authority)

        def get():
            with urllib.request.urlopen(process.url + "/healthz", context=trusted) as response:
                return response.status

        assert get() == 200
        for kind, reason in (("self_signed", "self.signed"), ("expired", "expired"), ("wrong_name", "mismatch")):
            cloud.present_certificate(kind)
            with pytest.raises(urllib.error.URLError, match=reason):
                get()
        cloud.present_certificate("valid")
        assert get() == 200
    finally:
        process.stop()


def test_users_call_a_gateway_with_tls(cloud_command):
    process = start_cloud(cloud_command + " --tls")
    try:
        cloud = Cloud(process.control_url)
        cloud.add_device(owner="alice")
        status, listed = cloud.api("GET", "/operator/devices", cloud.sign_in("olga", operator=True))
        assert (status, listed["devices"][0]["ownerId"]) == (200, "alice")
        cloud.present_certificate("self_signed")
        with pytest.raises(urllib.error.URLError, match="self.signed"):
            cloud.api("GET", "/operator/devices")
    finally:
        process.stop()


def test_a_response_that_is_not_json_is_returned_as_text(test_cloud, device):
    path = "/operator/audit?format=ndjson"
    operator = test_cloud.sign_in("olga", operator=True)
    status, trail = test_cloud.api("GET", path, operator)
    assert (status, [json.loads(line)["kind"] for line in trail.splitlines()]) == (200, ["device.registered"])
    test_cloud.reset()
    assert test_cloud.api("GET", path, test_cloud.sign_in("olga", operator=True)) == (200, None)
    test_cloud.add_device()
    test_cloud.fail("any", "server_error", status=502)
    assert test_cloud.api("GET", "/operator/devices") == (502, "<html><body><h1>502</h1>proxy</body></html>")
    test_cloud.fail("any", "corrupted", atByte=0)
    status, text = test_cloud.api("GET", "/operator/devices")
    assert status == 401 and '"code":"unauthorized"' in text


@pytest.fixture
def npx(tmp_path, monkeypatch):
    """A program `npx` that does not find the package. It notes its arguments in a file."""
    program = tmp_path / "npx"
    program.write_text('#!/bin/sh\necho "$*" > "%s/arguments"\nexit 1\n' % tmp_path)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    return tmp_path / "arguments"


NO_INSTALL = "--no-install device-gateway test-cloud --port 0 --control-port 0 --stop-with-input\n"


def test_a_cloud_that_is_not_installed_is_not_downloaded(npx):
    with pytest.raises(RuntimeError, match="npm install -D @device-gateway/device-client"):
        start_cloud()
    assert npx.read_text() == NO_INSTALL


def test_the_plugin_does_not_download_the_cloud_either(npx, tmp_path, monkeypatch):
    monkeypatch.delenv("DEVICE_GATEWAY_TEST_CLOUD", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_one.py").write_text("def test_one(test_cloud): pass")
    command = [sys.executable, "-B", "-m", "pytest", "-p", "device_gateway_pytest.plugin", "test_one.py"]
    ended = subprocess.run(command, cwd=str(tmp_path), stdout=subprocess.PIPE, universal_newlines=True)
    assert "npm install -D @device-gateway/device-client" in ended.stdout
    assert npx.read_text() == NO_INSTALL
