import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { isLocalRequest } from "./is-local-request.js";

const isLocal = (host: string, remoteAddress = "127.0.0.1", headers = {}) =>
  isLocalRequest({
    headers: { host, ...headers },
    socket: { remoteAddress } as IncomingMessage["socket"],
  });

test.each([
  "127.0.0.1:3000",
  "127.0.0.2:3000",
  "LOCALHOST",
  "[::1]:3000",
  "[::1]",
  "[::ffff:127.0.0.1]:3000",
])("a request to %s from this machine is local", (host) => {
  expect(isLocal(host)).toBe(true);
  expect(isLocal(host, "192.0.2.1")).toBe(false);
  expect(isLocal(host, "127.0.0.1", { "x-forwarded-for": "192.0.2.1" })).toBe(false);
});

test.each(["", "evil.example", "127.0.0.1.evil.example", "[127.0.0.1]", "[::2]:3000", "128.0.0.1"])(
  "a request to the name %j is not local",
  (host) => {
    expect(isLocal(host)).toBe(false);
  },
);
