import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { collectGarbage } from "../../testing/collect-garbage.js";
import { readWithDeadline } from "./with-deadline.js";

const bytes = 3_000_000;
const clock = { now: Date.now, wait: () => new Promise<void>(() => {}) };

it("a body is read completely after its Response was garbage-collected", async () => {
  const server = createServer((_, response) => void response.end(Buffer.alloc(bytes)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    if (response.body === null) throw new Error("The response has no body.");
    return readWithDeadline(clock, { ms: 1, abort: new AbortController() }, response.body);
  };
  const pieces = await open();
  // In the meantime, a device hashes the part of the image that it already has.
  await collectGarbage();
  let read = 0;
  for await (const piece of pieces) read += piece.length;
  expect(read).toBe(bytes);
});
