import { expect, test } from "vitest";
import { openSqliteStore } from "./open-sqlite-store.js";

test.each([undefined, "", "  ", null, 5])(
  "%j is rejected because it is not a path",
  async (file) => {
    const opened = openSqliteStore({ file: file as string });
    await expect(opened).rejects.toThrow(TypeError);
    await expect(opened).rejects.toThrow(
      'file: give the path of the database, such as "gateway.db"',
    );
  },
);

test(":memory: works and stores nothing on disk", async () => {
  const store = await openSqliteStore({ file: ":memory:" });
  await store.ping();
  expect(await store.devices.list({ ownerId: null, after: "", limit: 1 })).toEqual([]);
  await store.close();
});
