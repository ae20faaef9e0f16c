"""A whole device gateway for tests of firmware, with planned faults, as pytest fixtures."""

from .cloud import Cloud, ControlError, Device
from .process import CloudProcess, start_cloud

__all__ = ["Cloud", "CloudProcess", "ControlError", "Device", "start_cloud"]
