import { expect, test } from "vitest";
import type { Session } from "../../database/statement.js";
import { createKeyLookUp } from "./used-keys.js";

const hour = 3_600_000;

test("the search for expired keys goes on where it ended, and begins again each hour and if the clock is set back", async () => {
  const lookUpKeys = createKeyLookUp();
  let expired: readonly number[] = [];
  const begins: unknown[] = [];
  const session: Session = {
    async query<Row>(text: string, values: readonly unknown[]) {
      if (!text.includes("DELETE")) return [];
      begins.push(values[0]);
      return expired.map((expiresAt) => ({ expiresAt })) as Row[];
    },
  };
  /** Writes a key. The search before it finds these expired keys. Returns where the search began. */
  async function writeAt(receivedAt: number, found: readonly number[]): Promise<unknown> {
    expired = found;
    const once = { key: "key", fingerprint: "f", expiresAt: receivedAt + hour, memo: "" };
    const input = { device: 1, receivedAt, once };
    const keys = await lookUpKeys(session, [input]);
    keys.remember(input, []);
    await keys.write(session);
    return begins.at(-1);
  }
  const asManyAsTheLimit = Array.from({ length: 16 }, (_, n) => 100 + n);
  expect(await writeAt(5_000, asManyAsTheLimit)).toBe(0);
  expect(await writeAt(5_001, [200])).toBe(115);
  expect(await writeAt(5_002, [])).toBe(5_001);
  expect(await writeAt(5_000 + hour, [])).toBe(0);
  expect(await writeAt(5_001 + hour, [])).toBe(5_000 + hour);
  expect(await writeAt(4_000, [])).toBe(0);
});
