import { expect, it, onTestFinished } from "vitest";
import { createLogger } from "../log/logger.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { makeTempFolder } from "../testing/start-test-server.js";

const claimCode = "ABCD EFGH 2345";
const path = "/api/site/first-contact";

async function start() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = createLogger({ level: "debug", readable: false, coloured: false, write });
  const settings = Settings.parse({ PORT: 0, DATA_DIR: await makeTempFolder() });
  const server = await startServer(settings, { logger });
  onTestFinished(server.stop);
  const refusals = () =>
    lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === "mine");
  return { url: server.url, lines, refusals };
}

it("a bad request outside the API gets its own status and a problem document, and its body is not logged", async () => {
  const { url, lines, refusals } = await start();
  const post = (body: string, headers = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "mine", ...headers },
      body,
    });
  const body = `{"deviceId":"gw-1","claimCode":"${claimCode}"`;
  for (const [response, status, code] of [
    [await post(body), 400, "invalid_request"],
    [await post(`${body},"x":"${"x".repeat(4_000)}"}`), 413, "payload_too_large"],
    [await post(body, { "content-encoding": "zip" }), 415, "unsupported_media_type"],
  ] as const) {
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status, code, requestId: "mine" });
  }
  expect(refusals().map(({ level, status }) => [level, status])).toEqual([
    ...[400, 413, 415].map((status) => [20, status]),
  ]);
  expect(lines.join("")).not.toMatch(/ABCD|EFGH|2345/);
});

it("a path that cannot be decoded is a bad request", async () => {
  const { url } = await start();
  const response = await fetch(`${url}/api/auth/%zz`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "invalid_request" });
});
