import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createAuthListener } from "../auth-listener.js";
import { createPasswordQueue } from "./password-queue.js";

test("a network with eight hashes waiting gets 429, another network gets its turn", async () => {
  const { within, isFull, password } = createPasswordQueue();
  const flood = Array.from({ length: 10 }, () =>
    within("flood", () => password.hash("correct horse").catch((error: unknown) => error)),
  );
  expect([isFull("flood"), isFull("other")]).toEqual([true, false]);
  const other = within("other", () => password.hash("correct horse"));
  const first = await Promise.race([other, flood[8]]);
  expect(first, "does not wait for the whole flood").toBe(await other);
  expect(await flood[9]).toMatchObject({
    ...{ statusCode: 429, body: { code: "TOO_MANY_PASSWORDS" } },
    headers: { "retry-after": "5" },
  });
});

test("an account request of a network with eight hashes waiting is refused at once, unless it only reads", async () => {
  const queue = { ...createPasswordQueue(), isFull: (site: string) => site === "127.0.0.1" };
  const auth = { handler: async () => new Response("handled") };
  const server = express()
    .use(createAuthListener(auth, queue, "http://127.0.0.1"))
    .listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const refused = await fetch(url, { method: "POST", body: "{}" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY_PASSWORDS" });
  expect(await (await fetch(url)).text()).toBe("handled");
});
