import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPace, paceAccounts } from "./pace-accounts.js";

test("a site starts 8 requests at once, then one every 20 ms, and none that would wait over 1.2 s", () => {
  const waitOf = createPace();
  const waits = Array.from({ length: 100 }, () => waitOf("a", 1_000));
  expect(waits.slice(0, 10)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 20, 40]);
  expect(waits.indexOf(null)).toBe(8 + 60);
  expect(waitOf("b", 1_000)).toBe(0);
  // A refused request costs the site nothing.
  expect(waitOf("a", 1_020)).toBe(1_200);
  expect(waitOf("a", 60_000)).toBe(0);
});

test("a site that sends too many account requests at once gets 429, and other requests are served", async () => {
  const listener = paceAccounts(
    (_request, response) => response.end(),
    1,
    () => 1_000,
  );
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const send = async (address: string, path: string) => {
    const headers = { "x-forwarded-for": address };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return `${response.status} ${response.headers.get("retry-after")}`;
  };
  const paths = ["/api/auth/get-session", "/Api/Auth/none"];
  const flood = Array.from({ length: 100 }, (_, n) => send("203.0.113.7", paths[n % 2] ?? ""));
  const answers = await Promise.all(flood);
  expect(answers.filter((answer) => answer === "200 null")).toHaveLength(68);
  expect(answers.filter((answer) => answer === "429 2")).toHaveLength(32);
  expect(await send("203.0.113.7", "/device/gw-1")).toBe("200 null");
  expect(await send("203.0.113.8", "/api/auth/get-session")).toBe("200 null");
});
