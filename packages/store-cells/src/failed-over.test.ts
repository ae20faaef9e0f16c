import { openPostgresStore } from "@device-gateway/store-postgres";
import { registerSampleDevice } from "@device-gateway/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import { startReplicatedServers } from "../../store-postgres/src/testing/replicated-servers.js";
import { createTemporaryDatabase } from "../../store-postgres/src/testing/temporary-database.js";
import { createCellsStore } from "./create-cells-store.js";

test("§8 after a cell fails over to a standby that was behind, its new events are imported", async () => {
  const servers = await startReplicatedServers();
  onTestFinished(() => servers.stop());
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  const home = await openPostgresStore({ url });
  const cell = await openPostgresStore({ url: servers.door.url });
  const store = createCellsStore({ home, cells: [cell] });
  onTestFinished(() => store.close());
  const readLog = async () =>
    (await store.securityEvents.list({ after: 0, limit: 99, complete: true })).map(
      ({ deviceId }) => deviceId,
    );
  // The ids of a standby go up to 32 beyond what it has replayed.
  const lost = Array.from({ length: 40 }, (_, n) => `lost-${n}`);

  await registerSampleDevice(store, "kept");
  await servers.catchUp();
  servers.stream.freeze();
  for (const deviceId of lost) await registerSampleDevice(store, deviceId);
  expect(await readLog()).toEqual(["kept", ...lost]);
  await servers.promote();
  await expect
    .poll(() =>
      cell.ping().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await readLog()).toEqual(["kept", ...lost]);
  await registerSampleDevice(store, "new");
  expect(await readLog()).toEqual(["kept", ...lost, "new"]);
});
