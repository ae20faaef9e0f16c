import { expect, test } from "vitest";
import { get, urls, useGuardedServer } from "../testing/guarded-server.js";
import { readNodeBody } from "./node-listener.js";

const guarded = useGuardedServer();

const head = "POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
const piece = `10000\r\n${"x".repeat(65_536)}\r\n`;
const pieces = 512;

/** Sends a body of 32 MiB, and gets a response before its end. `readsBody`: the listener reads it up to a limit. */
async function sendUnneeded(readsBody: boolean) {
  const { started, connection } = await guarded.open((request, response) => {
    const answer = () => response.end(`<${request.url}>`);
    if (readsBody && request.method === "POST") void readNodeBody(request, 1_024).then(answer);
    else answer();
  });
  let reads = 0;
  connection.on("resume", () => {
    reads += 1;
  });
  const received = guarded.receive();
  guarded.client.write(head + piece);
  await received.untilEchoes(1);
  for (let n = 0; n < pieces; n++) guarded.client.write(piece);
  return { started, connection, received, reads: () => reads };
}

for (const readsBody of [false, true]) {
  test(`a body that nobody needs is received in pauses, then the next request is answered (read up to a limit: ${readsBody})`, async () => {
    const { started, connection, received, reads } = await sendUnneeded(readsBody);
    await expect.poll(() => connection.isPaused()).toBe(true);
    const before = connection.bytesRead;
    expect(before).toBeLessThan(16 * 1024 * 1024);
    guarded.client.write(`0\r\n\r\n${get("next")}`);
    await received.untilEchoes(2);
    expect(urls(started)).toEqual(["/early", "/next"]);
    // Each read takes at most some two megabytes.
    expect(reads()).toBeGreaterThanOrEqual(8);
  });
}
