import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBrowser, startServerWithMail } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { openTemporaryAccounts } from "../../testing/open-temporary-accounts.js";
import { createAuth } from "../create-auth.js";
import { removeExpiredSessions } from "./remove-expired-sessions.js";

useCheapScrypt();

const expiresAt = new Date(Date.UTC(2020, 0, 1));

async function openContext(kind: string) {
  const database = await openTemporaryAccounts(kind);
  const auth = await createAuth({
    ...{ database, pepper: "p".repeat(32), url: "http://127.0.0.1:3000", urlIsPublic: true },
    ...{ sendMail: async () => {}, demo: undefined, logger: silentLogger },
    releaseDevices: async () => {},
  });
  return auth.$context;
}

test.each(["SQLite", "Postgres"])(
  "on %s all expired sessions are deleted, in steps, and no others",
  async (kind) => {
    const context = await openContext(kind);
    const { adapter, internalAdapter } = context;
    const data = { email: "ann@example.com", name: "Ann", emailVerified: true };
    const { id } = await adapter.create<typeof data, { id: string }>({ model: "user", data });
    for (let n = 0; n < 5; n++) await internalAdapter.createSession(id);
    const where = [{ field: "userId", value: id }];
    await adapter.updateMany({ model: "session", where, update: { expiresAt } });
    const { token } = await internalAdapter.createSession(id);
    await removeExpiredSessions(context, undefined, 2);
    expect(await adapter.findMany({ model: "session" })).toMatchObject([{ token }]);
  },
);

test("a server deletes expired sessions with its other expired data", async () => {
  const first = await startServerWithMail();
  const { DATA_DIR } = first.settings;
  await createBrowser(first.url).signUp("ann@example.com");
  await first.stop();
  const accounts = new Sqlite(join(DATA_DIR, "accounts.db"));
  onTestFinished(() => void accounts.close());
  accounts.prepare("UPDATE session SET expiresAt = ?").run(expiresAt.toISOString());
  const count = () => accounts.prepare("SELECT count(*) FROM session").pluck().get();
  expect(count()).toBe(1);
  await startServerWithMail({ DATA_DIR });
  await expect.poll(count).toBe(0);
});
