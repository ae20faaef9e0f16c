"""The fixtures `test_cloud` and `device`."""

import os

import pytest

from .cloud import Cloud
from .process import DEFAULT_COMMAND, start_cloud


def pytest_addoption(parser):
    group = parser.getgroup("device-gateway")
    group.addoption(
        "--test-cloud",
        metavar="URL",
        help="Control API of a running test cloud (or DEVICE_GATEWAY_CONTROL_URL). Default: one is started.",
    )
    parser.addini(
        "test_cloud_command",
        "Command that starts the test cloud (or DEVICE_GATEWAY_TEST_CLOUD).",
        default=DEFAULT_COMMAND,
    )


@pytest.fixture(scope="session")
def test_cloud_control_url(pytestconfig):
    """The address of the control API of the session's cloud."""
    running = pytestconfig.getoption("--test-cloud") or os.environ.get("DEVICE_GATEWAY_CONTROL_URL")
    if running:
        yield running
        return
    command = os.environ.get("DEVICE_GATEWAY_TEST_CLOUD") or pytestconfig.getini("test_cloud_command")
    process = start_cloud(command)
    yield process.control_url
    process.stop()


@pytest.fixture
def test_cloud(test_cloud_control_url):
    """An empty cloud. All tests of a session share one process, so its address and release key stay the same."""
    cloud = Cloud(test_cloud_control_url, os.environ.get("DEVICE_GATEWAY_CONTROL_TOKEN"))
    cloud.reset()
    return cloud


@pytest.fixture
def device(test_cloud):
    """A device that is registered in the cloud."""
    return test_cloud.add_device()
