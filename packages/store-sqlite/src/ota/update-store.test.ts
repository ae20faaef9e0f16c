import { sampleDevice, sampleEvent, sampleRelease } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openConnection } from "../database/connection.js";
import { createDeviceStore } from "../device/device-store.js";
import { countTurns } from "../testing/count-turns.js";
import { createReleaseStore } from "./release-store.js";
import { createUpdateStore } from "./update-store.js";

it("updates under way are examined in several turns of the event loop until an overdue one is found", async () => {
  const connection = await openConnection(":memory:");
  const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
  await createDeviceStore(connection, async () => {}).register(registration);
  const creation = { release: sampleRelease(), event: sampleEvent("") };
  const { release } = await createReleaseStore(connection).create(creation);
  const insert = connection.database.prepare<[number, string, number]>(
    `INSERT INTO device_updates (device_id, release_id, state, from_version, offered_at, updated_at,
       attempts, attempt_served, failures)
     VALUES ('gw-1', ?, ?, '0.1.10', 0, ?, '[]', 0, 0)`,
  );
  await connection.write(() => {
    // Most have the same time.
    for (let n = 0; n < 1_600; n++)
      insert.run(release.id + 1 + n, "downloading", Math.max(1_400, n));
    insert.run(release.id, "installing", 2_000);
  });
  const input = { before: 0, silentSince: 5_000, limit: 9 };
  const updates = createUpdateStore(connection);
  const { outcome, turns } = await countTurns(() => updates.overdue(input));
  expect(outcome.map(({ releaseId }) => releaseId)).toEqual([release.id]);
  expect(turns).toBeGreaterThanOrEqual(3);
  await connection.close();
});
