import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { readWithDeadline } from "./with-deadline.js";

const bytes = 3_000_000;
const clock = { now: Date.now, wait: () => new Promise<void>(() => {}) };

/** Has everything go that nobody holds, and what hears of it run. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 20; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("a body that is read later, when nobody holds its Response any more, still comes whole", async () => {
  const server = createServer((_, response) => void response.end(Buffer.alloc(bytes)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    if (response.body === null) throw new Error("There is no body.");
    return readWithDeadline(clock, { ms: 1, abort: new AbortController() }, response.body);
  };
  const pieces = await open();
  // What a device does meanwhile: it hashes what it has of the image.
  await collectGarbage();
  let read = 0;
  for await (const piece of pieces) read += piece.length;
  expect(read).toBe(bytes);
});
