import { expect, test } from "vitest";
import { createDownloadSlots } from "./download-slots.js";

test("§9 one download too many ends the device's oldest download, and no download of other devices", () => {
  const slots = createDownloadSlots(2);
  const ended: string[] = [];
  const take = (deviceId: string, name: string) => slots.take(deviceId, () => ended.push(name));
  take("a", "a1");
  take("b", "b1");
  const giveBack = take("a", "a2");
  expect(ended).toEqual([]);
  take("a", "a3");
  expect(ended).toEqual(["a1"]);
  giveBack();
  giveBack();
  take("a", "a4");
  expect(ended).toEqual(["a1"]);
  take("a", "a5");
  expect(ended).toEqual(["a1", "a3"]);
});
