import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createAuthListener } from "../auth-listener.js";
import { createPasswordQueue } from "./password-queue.js";

test("the requests of several sites hash one password at a time, and a request with two hashes waits for one turn", async () => {
  const { take, password } = createPasswordQueue();
  const signIn = (site: string) =>
    take(site, async () => {
      const hash = await password.hash("correct horse");
      return password.verify({ hash, password: "correct horse" });
    });
  expect(await Promise.all([signIn("a"), signIn("b"), signIn("a")])).toEqual([true, true, true]);
});

test("a hash outside of a request takes a turn of its own", async () => {
  const { password } = createPasswordQueue();
  const hash = await password.hash("correct horse");
  expect(await password.verify({ hash, password: "wrong horse" })).toBe(false);
});

test("a network with nine requests under way gets 429 for a further password, and answers to everything else", async () => {
  const held: (() => void)[] = [];
  const handler = async ({ url }: Request) => {
    if (url.endsWith("/sign-in/email")) await new Promise<void>((resolve) => held.push(resolve));
    return new Response("handled");
  };
  const queue = createPasswordQueue();
  const waiting: Promise<unknown>[] = [];
  const take: typeof queue.take = (site, work) => {
    const taken = queue.take(site, work);
    waiting.push(taken.catch(() => {}));
    return taken;
  };
  const server = express()
    .use(createAuthListener({ handler }, { ...queue, take }, "http://127.0.0.1"))
    .listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/auth`;
  const post = (path: string) => fetch(url + path, { method: "POST", body: "{}" });
  const flood = Array.from({ length: 9 }, () => post("/sign-in/email"));
  await expect.poll(() => waiting.length).toBe(9);
  expect(
    held,
    "the others do not begin, so that they hold no connection of the database",
  ).toHaveLength(1);
  const refused = await post("/sign-in/email");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY_PASSWORDS" });
  expect(await (await post("/sign-out")).text()).toBe("handled");
  expect(await (await fetch(`${url}/get-session`)).text()).toBe("handled");
  const answers = Promise.all(flood);
  let ended = false;
  void answers.then(() => (ended = true));
  while (!ended) {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const answer of await answers) expect(await answer.text()).toBe("handled");
});
