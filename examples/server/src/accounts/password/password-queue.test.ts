import { silentLogger } from "@device-gateway/core";
import { expect, onTestFinished, test } from "vitest";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { makeTempFolder } from "../../testing/start-test-server.js";
import { clientAddressHeader } from "../client-address.js";
import { createAuth } from "../create-auth.js";
import { openAccountDatabase } from "../database/open-account-database.js";
import { createPasswordQueue, type PasswordQueue } from "./password-queue.js";

useCheapScrypt();

const text = "correct horse battery";
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a request hashes twice in one turn, while the site's next request waits", async () => {
  const { within, begin, password } = createPasswordQueue();
  const log: string[] = [];
  const signIn = (name: string) =>
    within("site", async () => {
      await begin();
      log.push(name);
      const hash = await password.hash(text);
      log.push(name);
      return password.verify({ hash, password: text });
    });
  expect(await Promise.all([signIn("a"), signIn("b")])).toEqual([true, true]);
  expect(log).toEqual(["a", "a", "b", "b"]);
});

test("a hash without a turn of its request takes one of its own", async () => {
  const { within, password } = createPasswordQueue();
  const hash = await password.hash(text);
  const checked = within("site", () => password.verify({ hash, password: "wrong" }));
  expect(await checked).toBe(false);
});

test("a site with nine requests under way gets 429 for the next one, another site gets its turn", async () => {
  const { within, begin } = createPasswordQueue();
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const first = within("flood", async () => {
    await begin();
    await held;
  });
  const flood = Array.from({ length: 9 }, () =>
    within("flood", begin).catch((error: unknown) => error),
  );
  expect(await flood[8]).toMatchObject({
    ...{ statusCode: 429, body: { code: "TOO_MANY_PASSWORDS" } },
    headers: { "retry-after": "5" },
  });
  await within("other", begin);
  end();
  await first;
  expect(await Promise.all(flood.slice(0, 8))).toEqual(Array(8).fill(undefined));
});

/** Opens accounts whose requests wait for turns that the test may hold back. */
async function openAuth() {
  const queue = createPasswordQueue();
  const state = { isHeld: false, waiting: 0 };
  const held: PasswordQueue = {
    ...queue,
    begin() {
      if (!state.isHeld) return queue.begin();
      state.waiting += 1;
      return new Promise(() => {});
    },
  };
  const database = await openAccountDatabase({
    DATA_DIR: await makeTempFolder(),
    DATABASE_URL: undefined,
  });
  onTestFinished(() => database.close());
  const url = "http://127.0.0.1:3000";
  const { handler } = await createAuth({
    ...{ database, pepper: "p".repeat(32), url, urlIsPublic: true, queue: held },
    ...{ sendMail: async () => {}, demo: undefined, logger: silentLogger },
    releaseDevices: async () => {},
  });
  const call = (path: string, headers: Record<string, string>, body?: object) =>
    handler(
      new Request(`${url}/api/auth${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { origin: url, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  return { call, state };
}

test("sign-ups that wait for their turn hold no connection, so that sessions are still found", async () => {
  const { call, state } = await openAuth();
  const signUp = (n: number) =>
    call(
      "/sign-up/email",
      { [clientAddressHeader]: `192.0.2.${n}` },
      { email: `ann-${n}@example.com`, name: "Ann", password: text },
    );
  const token = (await signUp(0)).headers.get("set-auth-token");
  expect(token).not.toBeNull();
  state.isHeld = true;
  for (let n = 1; n <= 5; n++) void signUp(n);
  while (state.waiting < 5) await settle();
  const session = await call("/get-session", { authorization: `Bearer ${token}` });
  expect(await session.json()).toMatchObject({ user: { email: "ann-0@example.com" } });
});
