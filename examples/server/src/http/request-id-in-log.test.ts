import { createServer } from "node:http";
import { join } from "node:path";
import { type LogFields, type Logger, silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { createBrowser } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { makeTempFolder } from "../testing/start-test-server.js";
import { createApp } from "./create-app.js";
import { listen } from "./listen.js";

useCheapScrypt();

function recordErrors() {
  const lines: LogFields[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => void lines.push(fields) };
  return { lines, logger };
}

it("an error outside the gateway is logged with the request id of its response", async () => {
  const { lines, logger } = recordErrors();
  const handlers = [
    () => {
      throw new Error("planted");
    },
  ];
  const app = createApp({ trustedProxies: 0, handlers, logger });
  const server = createServer(app);
  onTestFinished(() => void server.close());
  const url = await listen(server, { HOST: "127.0.0.1", PORT: 0 });
  const response = await fetch(`${url}/page`, { headers: { "x-request-id": "line\tbreak" } });
  const requestId = response.headers.get("x-request-id");
  expect([response.status, await response.text()]).toEqual([500, ""]);
  expect(requestId).toMatch(/^[\w-]{36}$/);
  expect(lines).toMatchObject([{ requestId, method: "GET", path: "/page" }]);
  const named = await fetch(`${url}/page`, { headers: { "x-request-id": "mine" } });
  expect(named.headers.get("x-request-id")).toBe("mine");
});

it("a mail that cannot be sent is logged with the request id that caused it", async () => {
  const { lines, logger } = recordErrors();
  const settings = Settings.parse({ PORT: 0, DATA_DIR: await makeTempFolder() });
  const sendMail = () => Promise.reject(new Error("planted"));
  const server = await startServer(settings, { logger, sendMail });
  onTestFinished(server.stop);
  const browser = createBrowser(server.url, { proxied: false });
  const response = await browser.call(
    "POST",
    "/api/auth/sign-up/email",
    { email: "ann@example.com", password: "correct horse battery", name: "Ann" },
    { "x-request-id": "sign-up-1" },
  );
  expect(response.headers.get("x-request-id")).toBe("sign-up-1");
  await expect.poll(() => lines).toMatchObject([{ requestId: "sign-up-1" }]);
});

it("an error of the accounts is logged once, with its request id, and never printed", async () => {
  const { lines, logger } = recordErrors();
  const printed = vi.spyOn(console, "error");
  const settings = Settings.parse({ PORT: 0, DATA_DIR: await makeTempFolder() });
  const server = await startServer(settings, { logger });
  onTestFinished(server.stop);
  const browser = createBrowser(server.url, { proxied: false });
  await browser.signUp("ann@example.com");
  const accounts = new Sqlite(join(settings.DATA_DIR, "accounts.db"));
  accounts.exec("UPDATE account SET password = 'not a hash'");
  accounts.close();
  const body = { email: "ann@example.com", password: "correct horse battery" };
  const headers = { "x-request-id": "sign-in-1" };
  const response = await browser.call("POST", "/api/auth/sign-in/email", body, headers);
  expect([response.status, await response.text()]).toEqual([500, ""]);
  expect(lines).toMatchObject([{ requestId: "sign-in-1", method: "POST" }]);
  expect(printed).not.toHaveBeenCalled();
});
