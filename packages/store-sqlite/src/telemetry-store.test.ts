import { sampleDevice, sampleEvent, sampleOnce, sampleTime } from "@device-gateway/core/testing";
import { expect, it } from "vitest";
import { openConnection } from "./connection.js";
import { createDeviceStore } from "./device-store.js";
import { createTelemetryStore } from "./telemetry-store.js";

it("drops expired keys as new ones come in", async () => {
  const connection = await openConnection(":memory:");
  const telemetry = createTelemetryStore(connection);
  const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
  await createDeviceStore(connection).register(registration);
  const use = (key: string, receivedAt: number) =>
    telemetry.append({
      deviceId: "gw-1",
      receivedAt,
      records: [],
      once: sampleOnce(key, { expiresAt: receivedAt + 1_000 }),
    });
  for (let n = 0; n < 40; n++) await use(`old-${n}`, sampleTime);
  for (let n = 0; n < 3; n++) await use(`new-${n}`, sampleTime + 1_001);
  const left = connection.database.prepare("SELECT key FROM telemetry_keys").pluck().all();
  expect(left).toEqual(["new-0", "new-1", "new-2"]);
  await connection.close();
});
