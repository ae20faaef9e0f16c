"""Downloads of the MicroPython client on CPython."""

import asyncio
import hashlib
import json

import pytest
from device_bench import IMAGE, PowerCut, Slot, boot
from device_gateway import DeviceError, MemoryStorage, SocketHttp


def test_a_download_that_was_complete_is_checked_and_installed_after_a_restart(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    storage, slot = MemoryStorage(), Slot()
    # The power failed after the last checkpoint, which was at the end of the image.
    progress = {"sha256": hashlib.sha256(IMAGE).hexdigest(), "offset": len(IMAGE), "etag": '"a"'}
    storage.save("download", json.dumps(progress))
    slot.image = bytearray(IMAGE)
    assert asyncio.run(boot(test_cloud, storage).update(slot, keys, slot.install)) == "1.1.0"
    assert slot.installed == IMAGE
    assert test_cloud.requests("downloadFirmware") == []

    # A slot that lost the image since then gets it again.
    empty = Slot()
    empty.begin(len(IMAGE))
    with pytest.raises(DeviceError, match="signed"):
        asyncio.run(boot(test_cloud, storage).update(empty, keys, empty.install))
    assert asyncio.run(boot(test_cloud, storage).update(empty, keys, empty.install)) == "1.1.0"
    assert empty.installed == IMAGE


def test_a_download_resumes_after_a_restart(test_cloud):
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)
    keys = {test_cloud.release_key["id"]: test_cloud.release_key["pem"]}
    storage, slot = MemoryStorage(), Slot()
    with pytest.raises(DeviceError):
        asyncio.run(boot(test_cloud, storage, tries=1).update(slot, keys, slot.install))
    assert asyncio.run(boot(test_cloud, storage).update(slot, keys, slot.install)) == "1.1.0"
    assert slot.installed == IMAGE
    whole, rest = test_cloud.requests("downloadFirmware")
    assert (whole["status"], rest["status"]) == (200, 206)
    assert rest["headers"]["range"] == "bytes=49152-"
    flush_after = boot(test_cloud, storage, version="1.1.0")
    assert asyncio.run(flush_after.update(slot, keys, slot.install)) is None


def keys_of(cloud):
    return {cloud.release_key["id"]: cloud.release_key["pem"]}


def update(device, slot):
    keys = json.loads(device.storage.load("keys"))
    return asyncio.run(device.update(slot, keys, slot.install))


def reports(cloud):
    return [(seen["body"]["state"], seen["body"].get("message")) for seen in cloud.requests("reportUpdate")]


@pytest.fixture
def storage(test_cloud):
    """A storage with the pinned key, of a device that has registered."""
    test_cloud.add_release("1.1.0", "esp32", IMAGE)
    storage = MemoryStorage()
    storage.save("keys", json.dumps(keys_of(test_cloud)))
    return storage


class NoRanges(SocketHttp):
    """A server, or a proxy before it, that has no part of an image."""

    async def request(self, method, url, headers, body):
        response = await SocketHttp.request(self, method, url, headers, body)
        if "Range" in headers:
            response.status = 416
        return response


class WholeImages(SocketHttp):
    """A proxy that removes the header Range, so that it always sends the whole image."""

    async def request(self, method, url, headers, body):
        headers = {name: value for name, value in headers.items() if name != "Range"}
        return await SocketHttp.request(self, method, url, headers, body)


@pytest.mark.parametrize("http", [NoRanges, WholeImages])
def test_a_download_whose_rest_is_refused_starts_again(test_cloud, storage, http):
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)
    slot = Slot()
    assert update(boot(test_cloud, storage, http=http()), slot) == "1.1.0"
    assert slot.installed == IMAGE


@pytest.mark.parametrize("http, requests", [(NoRanges, 8), (WholeImages, 5)])
def test_a_download_that_starts_again_for_the_fourth_time_has_failed(test_cloud, storage, http, requests):
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000, times=99)
    with pytest.raises(DeviceError, match="3 times") as error:
        update(boot(test_cloud, storage, http=http()), Slot())
    assert error.value.code == "image_keeps_changing"
    assert len(test_cloud.requests("downloadFirmware")) == requests
    assert reports(test_cloud)[-1] == ("failed", "image_keeps_changing")


class WornSlot(Slot):
    """A slot of which one operation fails."""

    def __init__(self, broken):
        Slot.__init__(self)
        self.broken = broken

    def begin(self, size):
        self._use("begin")
        Slot.begin(self, size)

    def write(self, offset, piece):
        if offset > 20_000:
            self._use("write")
        Slot.write(self, offset, piece)

    def read(self, offset, count):
        self._use("read")
        return Slot.read(self, offset, count)

    def _use(self, operation):
        if operation == self.broken:
            raise OSError(5, "EIO")


@pytest.mark.parametrize("operation", ["begin", "write", "read"])
def test_a_slot_that_fails_is_reported_and_not_downloaded_again(test_cloud, storage, operation):
    with pytest.raises(DeviceError, match="EIO") as error:
        update(boot(test_cloud, storage), WornSlot(operation))
    assert (error.value.code, error.value.is_transient()) == ("flash_failed", False)
    assert len(test_cloud.requests("downloadFirmware")) == 1
    assert reports(test_cloud)[-1] == ("failed", "flash_failed")


@pytest.mark.parametrize("key", ["download", "secret"])
def test_a_storage_that_cannot_be_written_during_a_download_is_an_os_error(test_cloud, storage, key):
    device = boot(test_cloud, storage)
    asyncio.run(device.read_config())
    if key == "secret":
        # The token has expired when the download begins, and the device registers again.
        test_cloud.fail("downloadFirmware", "unauthorized")
        storage.values.pop("secret")
    save = storage.save

    def fail(saved, text):
        if saved == key:
            raise OSError(28, "ENOSPC")
        save(saved, text)

    storage.save = fail
    with pytest.raises(OSError, match="ENOSPC"):
        update(device, Slot())
    assert [state for state, _ in reports(test_cloud)] == ["downloading"]


def test_a_download_of_a_release_that_is_paused_is_cancelled(test_cloud, storage):
    operator = test_cloud.sign_in("olga", operator=True)
    path = "/operator/firmware/releases"
    release = test_cloud.api("GET", path, operator)[1]["releases"][0]
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)

    async def pause(_):
        changed = test_cloud.api("PATCH", path + "/%s" % release["id"], operator, {"status": "paused"})
        assert changed[0] == 200

    with pytest.raises(DeviceError) as error:
        update(boot(test_cloud, storage, sleep=pause), Slot())
    assert error.value.code == "gone"
    assert reports(test_cloud) == [("downloading", None), ("cancelled", "gone")]


def test_tasks_that_update_at_once_use_the_slot_in_turn(test_cloud, storage):
    device, slot, keys = boot(test_cloud, storage), Slot(), keys_of(test_cloud)

    async def work():
        updates = [device.update(slot, keys, slot.install) for _ in range(2)]
        return await asyncio.gather(*updates)

    assert asyncio.run(work()) == ["1.1.0", "1.1.0"]
    assert slot.installed == IMAGE
    # The second one continues from the last checkpoint of the first.
    assert [seen["status"] for seen in test_cloud.requests("downloadFirmware")] == [200, 206]


class ErasedSlot(Slot):
    """The power fails when the slot has been erased."""

    def begin(self, size):
        Slot.begin(self, size)
        raise PowerCut()


def test_a_power_cut_after_the_slot_was_erased_loses_the_old_progress(test_cloud, storage):
    test_cloud.fail("downloadFirmware", "cut", afterBytes=60_000)
    slot, erased = Slot(), ErasedSlot()
    with pytest.raises(DeviceError, match="broke off"):
        update(boot(test_cloud, storage, tries=1), slot)
    with pytest.raises(PowerCut):
        update(boot(test_cloud, storage, http=WholeImages()), erased)
    slot.image = erased.image
    assert update(boot(test_cloud, storage), slot) == "1.1.0"
    assert slot.installed == IMAGE


def test_a_download_of_another_image_loses_the_progress_of_the_former_one(test_cloud, storage):
    former = {"sha256": "0" * 64, "offset": 49_152, "etag": '"a"'}
    storage.save("download", json.dumps(former))
    with pytest.raises(PowerCut):
        update(boot(test_cloud, storage), ErasedSlot())
    progress = json.loads(storage.load("download"))
    assert (progress["sha256"], progress["offset"]) == (hashlib.sha256(IMAGE).hexdigest(), 0)
