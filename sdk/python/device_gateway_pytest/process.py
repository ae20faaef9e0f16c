"""Starts the test cloud as a process."""

import shlex
import subprocess

DEFAULT_COMMAND = "npx --no-install device-gateway test-cloud"
"""Runs the installed command only. Without the option, npx may download a package of another author."""

INSTALL = "npm install -D @device-gateway/device-client @device-gateway/testing"


class CloudProcess:
    """A running test cloud. `url` is its address for devices, `control_url` that of its control API."""

    def __init__(self, process, url, control_url):
        self._process = process
        self.url = url
        self.control_url = control_url

    def stop(self):
        """Stops the cloud. It also stops by itself when this process ends."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def start_cloud(command=DEFAULT_COMMAND):
    """Starts a test cloud and waits until it is ready. Ports that the command does not name are free ones."""
    arguments = shlex.split(command)
    for option in ("--port", "--control-port"):
        if not any(argument.split("=")[0] == option for argument in arguments):
            arguments += [option, "0"]
    arguments.append("--stop-with-input")
    try:
        process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True
        )
    except OSError as fault:
        raise RuntimeError("The test cloud cannot be started with `%s`: %s" % (command, fault))
    addresses = {}
    for line in process.stdout:
        name, _, address = line.strip().partition(" ")
        addresses[name] = address
        if "cloud" in addresses and "control" in addresses:
            return CloudProcess(process, addresses["cloud"], addresses["control"])
    process.stdin.close()
    message = "`%s` ended with exit code %d before it was ready. If it is not installed, run `%s`."
    raise RuntimeError(message % (command, process.wait(), INSTALL))
