import { once } from "node:events";
import { expect, test } from "vitest";
import { echo, get, numbers, useGuardedServer } from "../testing/guarded-server.js";
import { guardServer } from "./guard-server.js";

const guarded = useGuardedServer();

/** Requests that Node treats in its own way. */
const unusual = {
  "no Host header": get("x").replace("Host: x\r\n", ""),
  "an unknown expectation": get("x", "Expect: a miracle\r\n"),
  "another version": get("x", "Connection: keep-alive\r\n").replace("HTTP/1.1", "HTTP/2.0"),
};

test.each(Object.entries(unusual))(
  "3,000 pipelined requests with %s behind eight that wait end the connection",
  async (_, request) => {
    const connection = await guarded.listen(() => {});
    guardServer(guarded.server);
    const waiting = numbers(8).map((n) => get(n));
    guarded.client.pause().write(waiting.join("") + request.repeat(3_000));
    await once(connection, "close");
  },
);

test("a request without a Host header is a 400 that says so, and the connection ends", async () => {
  await guarded.listen(echo);
  guardServer(guarded.server);
  const received = guarded.receive();
  guarded.client.write(get(0) + unusual["no Host header"] + get(1));
  await once(guarded.client, "close");
  expect(received.text().match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  expect(received.text()).toContain("Missing. Send one Host header.");
});

test("HTTP/1.0 needs no Host header", async () => {
  await guarded.listen(echo);
  guardServer(guarded.server);
  const received = guarded.receive();
  guarded.client.write("GET /old HTTP/1.0\r\n\r\n");
  await once(guarded.client, "close");
  expect(received.echoes()).toEqual(["/old"]);
});

test("an unknown expectation is ignored", async () => {
  await guarded.listen(echo);
  guardServer(guarded.server);
  const received = guarded.receive();
  guarded.client.write(unusual["an unknown expectation"]);
  await expect.poll(received.echoes).toEqual(["/x"]);
});

test("a listener that was added later gets requests with an unknown expectation too", async () => {
  await guarded.listen(echo);
  const seen: (string | undefined)[] = [];
  guardServer(guarded.server).prependListener("request", ({ url }) => seen.push(url));
  const received = guarded.receive();
  guarded.client.write(unusual["an unknown expectation"]);
  await expect.poll(received.echoes).toEqual(["/x"]);
  expect(seen).toEqual(["/x"]);
});
