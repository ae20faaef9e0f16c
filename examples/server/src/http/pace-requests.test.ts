import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPace, paceRequests } from "./pace-requests.js";

test("a site starts its burst with small gaps, then one request in each interval, and none that would wait over 2 s", () => {
  const waitOf = createPace({ burst: 10, intervalMs: 100, gapMs: 5 });
  const waits = Array.from({ length: 100 }, () => waitOf("a", 1_000));
  expect(waits.slice(0, 12)).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 100, 200]);
  expect(waits.indexOf(null)).toBe(10 + 20);
  expect(waitOf("b", 1_000)).toBe(0);
  // A refused request costs the site nothing.
  expect(waitOf("a", 1_100)).toBe(2_000);
  expect(waitOf("a", 60_000)).toBe(0);
});

test("a site that sends too many account or page requests gets 429 after a second and loses its connection, and others are served", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const listener = paceRequests(
    (_request, response) => void response.end(),
    1,
    () => 1_000,
  );
  const send = (address: string, url: string) => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { url, headers: { "x-forwarded-for": address } });
    const response = new ServerResponse(request);
    listener(request, response);
    return response;
  };
  const paths = [
    ...["/api/auth/get-session", "/Api/Auth/none", "http://a/api/auth/none"],
    "/api/alerts/unsubscribe?token=a.b",
  ];
  const flood = Array.from({ length: 50 }, (_, n) => send("203.0.113.7", paths[n % 4] as string));
  const others = [send("203.0.113.7", "/device/gw-1"), send("203.0.113.8", "/api/auth/none")];
  const answered = (status: number) =>
    flood.filter((one) => one.writableEnded && one.statusCode === status).length;
  // The poll advances the timers.
  expect([answered(200), answered(429)]).toEqual([0, 0]);
  await expect.poll(() => others.every((other) => other.writableEnded)).toBe(true);
  await expect.poll(() => answered(200)).toBe(30);
  expect(answered(429)).toBe(20);
  expect(flood.at(-1)?.getHeader("retry-after")).toBe("2");
  const closed = flood.filter((one) => one.getHeader("connection") === "close");
  expect(closed.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(429));
  const pages = Array.from({ length: 201 }, () => send("203.0.113.9", "/device/gw-1"));
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => pages.filter((one) => one.statusCode === 200).length).toBe(200);
});
