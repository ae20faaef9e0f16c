import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Mail } from "../accounts/mail/send-mail.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { createBrowser } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";

useCheapScrypt();

const mails: Mail[] = [];
beforeEach(() => mails.splice(0));

async function start(overrides: Partial<Settings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-"));
  const pageFolder = join(folder, "page");
  await mkdir(join(pageFolder, "assets"), { recursive: true });
  await mkdir(join(pageFolder, ".git"));
  await writeFile(join(pageFolder, "index.html"), "<!doctype html><title>page</title>");
  await writeFile(join(pageFolder, "assets/app.js"), "planted");
  await writeFile(join(pageFolder, ".git/config"), "planted");
  const DATA_DIR = join(folder, "data");
  const settings = Settings.parse({ PORT: 0, TRUSTED_PROXIES: 1, ...overrides, DATA_DIR });
  const sendMail = async (mail: Mail) => void mails.push(mail);
  const options = { logger: silentLogger, pageFolder, sendMail };
  const { url, stop } = await startServer(settings, options);
  return {
    url,
    async stop() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

let server: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  server = await start({ SECURITY_CONTACT: "mailto:security@example.com" });
  return server.stop;
});

const statusOf = (method: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(server.url + path, { method }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

/** Sends raw bytes and returns what the server answers until it closes the connection. */
const sendRaw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let response = "";
    socket.on("data", (piece: string) => {
      response += piece;
    });
    socket.once("close", () => resolve(response)).once("error", reject);
    // Not end(): Node drops the response to a request that is still queued when its client half-closes.
    socket.write(text);
  });

it("the page is served for GET and HEAD only", async () => {
  expect(await statusOf("GET", "/device/gw-1")).toBe(200);
  expect(await statusOf("HEAD", "/device/gw-1")).toBe(200);
  expect(await statusOf("POST", "/device/gw-1")).toBe(404);
});

it("API responses cannot be cached, sniffed or read by other sites", async () => {
  for (const path of ["/api/v1/dashboard/devices", "/healthz", "/api/v1/nowhere"]) {
    const { headers } = await fetch(server.url + path, {
      headers: { origin: "https://evil.test" },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-type")).toMatch(/^application\/(problem\+)?json$/);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
  for (const path of ["/api/site", "/api/auth/get-session", "/api/auth/list-sessions"]) {
    const { headers } = await fetch(server.url + path);
    expect(headers.get("cache-control"), path).toBe("no-store");
  }
});

it("security.txt names the contact and expires within a year", async () => {
  const response = await fetch(`${server.url}/.well-known/security.txt`);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const [contact, expires] = (await response.text()).split("\n");
  expect(contact).toBe("Contact: mailto:security@example.com");
  const days = (Date.parse(expires?.slice("Expires: ".length) ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(178);
  expect(days).toBeLessThan(181);
});

it("the page runs only its own code, cannot be framed, and sends no referrer", async () => {
  for (const path of ["/", "/devices/gw-1", "/api/site", "/api/auth/get-session"]) {
    const { headers } = await fetch(server.url + path);
    const policy = headers.get("content-security-policy");
    expect(policy, path).toContain("default-src 'none'");
    expect(policy, path).toContain("base-uri 'none'");
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(policy, path).not.toMatch(/unsafe|\*/);
    expect(headers.get("referrer-policy"), path).toBe("no-referrer");
    expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

it("a 304 for the page has the same security policy", async () => {
  const first = await fetch(server.url);
  const again = await fetch(server.url, {
    headers: { "if-none-match": first.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  for (const name of ["content-security-policy", "permissions-policy"]) {
    expect(again.headers.get(name), name).toBe(first.headers.get(name));
  }
  expect(first.headers.get("content-security-policy")).toContain("script-src 'self'");
});

it("the server lists no folders, and serves no hidden files and no files outside the page's folder", async () => {
  for (const path of [
    "/assets/",
    "/.git/config",
    "/..%2fdata%2fsecrets.json",
    "/data/gateway.db",
  ]) {
    const text = await (await fetch(server.url + path)).text();
    expect(text, path).not.toMatch(/planted|pepper|SQLite/);
    expect(text, path).not.toContain("app.js");
  }
});

it("unsupported methods, such as TRACE, are refused", async () => {
  expect(await statusOf("TRACE", "/api/v1/openapi.json")).toBe(405);
  expect(await statusOf("OPTIONS", "/api/v1/telemetry")).toBe(405);
  expect(await statusOf("DELETE", "/healthz")).toBe(405);
  for (const method of ["TRACE", "OPTIONS", "PUT"]) {
    expect(await statusOf(method, "/api/auth/get-session"), method).toBe(405);
  }
  const refused = await fetch(`${server.url}/api/auth/sign-out`);
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
});

it("a request with an ambiguous length is refused", async () => {
  const head = "POST /api/v1/device/register HTTP/1.1\r\nHost: x\r\n";
  const both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  const two = "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello";
  const folded = "X-Request-Id: a\r\n b\r\nContent-Length : 2\r\n\r\n{}";
  for (const rest of [both, two, folded])
    expect(await sendRaw(head + rest)).toMatch(/^HTTP\/1.1 400/);
});

/** A path of the API, which the gateway serves, and two of Express. */
const ways = ["/api/v1/openapi.json", "/api/auth/get-session", "/assets/app.js"];

it("the API and the page refuse ambiguous paths and repeated Host headers, and name each request", async () => {
  for (const path of ways) {
    const refusalOf = (target: string, rest = "\r\n") =>
      sendRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}`);
    for (const target of [`/x/..${path}`, `/%2e%2e${path}`, `${path}%2f`, `${path}\\`]) {
      const refusal = await refusalOf(target);
      expect(refusal, target).toMatch(/^HTTP\/1.1 400/);
      expect(refusal, target).toContain("The path contains a dot segment");
    }
    expect(await refusalOf(path, "hOst: y\r\n\r\n"), path).toContain("Send one Host header.");
    const named = await fetch(server.url + path, { headers: { "x-request-id": "mine" } });
    expect(named.status, path).toBe(200);
    expect(named.headers.get("x-request-id"), path).toBe("mine");
    expect(named.headers.get("x-content-type-options"), path).toBe("nosniff");
  }
});

it("a request line with a whole URL is served like its path, and its path is checked as well", async () => {
  const responseTo = (line: string) =>
    sendRaw(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  expect(await responseTo("GET http://x/readyz")).toContain('{"status":"ok"}');
  const registered = await responseTo("POST http://x:80/api/v1/device/register");
  expect(registered).toContain('"code":"invalid_request"');
  expect(await responseTo("GET HTTP://x/assets/app.js")).toContain("planted");
  for (const target of ["http://x/x/../readyz", "http://x/%2e%2e/readyz", "http://x/readyz%2f"]) {
    expect(await responseTo(`GET ${target}`), target).toContain("The path contains a dot segment");
  }
});

it("the session cookie is HttpOnly and SameSite, and Secure on https", async () => {
  const PUBLIC_URL = "https://gateway.example.com";
  const secure = await start({ PUBLIC_URL });
  const address = { origin: PUBLIC_URL };
  const browser = createBrowser(secure.url, { proxied: false });
  const body = { email: "ann@example.com", password: "correct horse battery", name: "Ann" };
  const response = await browser.call("POST", "/api/auth/sign-up/email", body, address);
  const cookies = response.headers.getSetCookie();
  await secure.stop();
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^__Secure-/);
    expect(cookie).toMatch(/; ?HttpOnly/i);
    expect(cookie).toMatch(/; ?SameSite=(Lax|Strict)/i);
    expect(cookie).toMatch(/; ?Secure/i);
  }
});

it("a mail goes to one address, and its link points to this server only", async () => {
  const signUp = (email: string, callbackURL: string, name = "Ann") =>
    createBrowser(server.url).call("POST", "/api/auth/sign-up/email", {
      ...{ email, callbackURL, name },
      password: "correct horse battery",
    });
  expect((await signUp("ann@example.com\r\nBcc: eve@evil.test", "/")).status).toBe(400);
  expect((await signUp("ann@example.com, eve@evil.test", "/")).status).toBe(400);
  expect((await signUp("ann@example.com", "https://evil.test/")).status).toBe(403);
  expect((await signUp("ann@example.com", "//evil.test/")).status).toBe(403);
  const injected = "Ann\r\nBcc: eve@evil.test";
  expect((await signUp("bob@example.com", "/claim", injected)).status).toBe(400);
  expect(mails).toEqual([]);
  expect((await signUp("bob@example.com", "/claim")).status).toBe(200);
  await expect.poll(() => mails).toMatchObject([{ to: "bob@example.com" }]);
  expect(mails[0]?.subject).not.toMatch(/[\r\n]/);
  const reset = (redirectTo: string) =>
    createBrowser(server.url).call("POST", "/api/auth/request-password-reset", {
      email: "bob@example.com",
      redirectTo,
    });
  expect((await reset("https://evil.test/reset")).status).toBe(403);
  expect(mails).toHaveLength(1);
});

it("long passwords with any characters are accepted and compared exactly", async () => {
  const browser = createBrowser(server.url);
  const password = ` ${"päßwörter 🔑 ".repeat(7)}`;
  const signUp = { email: "long@example.com", password, name: "Ann" };
  expect((await browser.call("POST", "/api/auth/sign-up/email", signUp)).status).toBe(200);
  const signIn = (word: string) => browser.signIn("long@example.com", word);
  expect((await signIn(password.trim())).status).toBe(401);
  expect((await signIn(password)).status).toBe(200);
  await expect.poll(() => mails).toHaveLength(1);
  expect((await browser.verify(mails[0], password.trim())).status).toBe(401);
  expect((await browser.verify(mails[0], password)).status).toBe(200);
  const change = (currentPassword: string) =>
    browser.call("POST", "/api/auth/change-password", {
      currentPassword,
      newPassword: "another long password",
      revokeOtherSessions: true,
    });
  expect((await change("wrong password")).status).toBe(400);
  expect((await change(password)).status).toBe(200);
  const short = { email: "short@example.com", password: "123456789", name: "Bob" };
  expect((await browser.call("POST", "/api/auth/sign-up/email", short)).status).toBe(400);
});
