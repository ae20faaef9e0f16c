"""Tests of the Python parts of the kit, without installing them."""

import os
import sys

import pytest

_here = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(_here, "python"), os.path.join(_here, "micropython")]

pytest_plugins = ["device_gateway_pytest.plugin"]


@pytest.fixture(scope="session")
def cloud_command(pytestconfig):
    """The command that starts a test cloud."""
    return os.environ.get("DEVICE_GATEWAY_TEST_CLOUD") or pytestconfig.getini("test_cloud_command")
