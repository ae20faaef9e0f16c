import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { openPostgresStores } from "../../open-postgres-stores.js";
import { settleSoon } from "../../testing/settle-soon.js";
import { createTemporaryDatabase } from "../../testing/temporary-database.js";

test("§1 a cell whose tables are locked does not stop the change feeds of the other cells", async () => {
  const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  const schemas = ["cell_0", "cell_1"];
  const stores = await openPostgresStores({ url, schemas, poolSize: 4 });
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const cursors: string[] = [];
  for (const { changes } of stores) cursors.push((await changes.since(null)).cursor);
  const readFeed = (place: number) =>
    settleSoon(stores[place]?.changes.since(cursors[place] ?? null) ?? Promise.reject());

  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE cell_0.changes IN ACCESS EXCLUSIVE MODE");
  // The first poll is of both cells, and waits for the lock.
  await Promise.all([readFeed(0), readFeed(1)]);
  const [locked, free] = await Promise.all([readFeed(0), readFeed(1)]);
  expect(locked).toBe("unavailable");
  expect(free).toMatchObject({ kind: "changes" });
  await client.query("COMMIT");
  await expect.poll(() => readFeed(0)).toMatchObject({ kind: "changes" });
});
