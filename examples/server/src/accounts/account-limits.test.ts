import { connect } from "node:net";
import { join } from "node:path";
import { silentLogger } from "@device-gateway/core";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBrowser, password, startServerWithMail } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { makeTempFolder } from "../testing/start-test-server.js";
import { createAuth } from "./create-auth.js";
import { openAccountDatabase } from "./database/open-account-database.js";
import { createDemoAccess } from "./demo/demo-access.js";
import { servedPaths } from "./served-paths.js";

useCheapScrypt();

const limit = 16_384;

/** Lists every account route of better-auth and one unknown path. */
async function listRoutes() {
  const database = await openAccountDatabase({
    DATA_DIR: await makeTempFolder(),
    DATABASE_URL: undefined,
  });
  onTestFinished(() => database.close());
  const { api } = await createAuth({
    ...{ database, pepper: "p".repeat(32), url: "http://127.0.0.1:3000", urlIsPublic: true },
    ...{ sendMail: async () => {}, demo: createDemoAccess(), logger: silentLogger },
    releaseDevices: async () => {},
  });
  const routes = Object.values(api).flatMap((endpoint) => {
    const { path, options } = endpoint as { path?: string; options: { method: string | string[] } };
    return path === undefined ? [] : [options.method].flat().map((method) => ({ method, path }));
  });
  return [...routes, { method: "POST", path: "/none" }];
}

/** Sends the head and part of a body. Returns the status of the response, which must not wait for the rest. */
const sendPart = (url: string, head: readonly string[], part: string) =>
  new Promise<number>((resolve, reject) => {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    socket.once("data", (piece: string) => {
      resolve(Number(piece.split(" ")[1]));
      socket.destroy();
    });
    // The server may end the connection before it has received everything.
    socket.on("error", reject);
    const lines = [...head, `host: ${host}`, `origin: ${url}`, "content-type: application/json"];
    socket.write([...lines, "", part].join("\r\n"));
  });

describe("the body of an account request has at most 16 KB", () => {
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const padded = (size: number) => `{"x":"${"y".repeat(size - 8)}"}`;

  test("every route rejects a larger body while it reads it, with and without a declared length; other paths of better-auth are not served", async () => {
    const { url } = await startServerWithMail();
    const routes = await listRoutes();
    // A server behind a proxy does not serve the sign-in of the demo.
    const served: ReadonlySet<string> = new Set(servedPaths.filter((path) => path !== "/demo"));
    // A served path that better-auth does not have would be a mistake in the list.
    const known = new Set(routes.map(({ path }) => path));
    expect(servedPaths.filter((path) => !known.has(path))).toEqual([]);
    expect(known.size).toBeGreaterThan(served.size);
    for (const [i, { method, path }] of routes.entries()) {
      const refusal = served.has(path) ? 413 : 404;
      const line = `${method} /api/auth${path.replaceAll(/:\w+/g, "x")} HTTP/1.1`;
      // The requests of one address are slowed down.
      const send = (framing: string, part: string) =>
        sendPart(url, [line, `x-forwarded-for: 10.0.0.${i}`, framing], part);
      const declared = await send("content-length: 100000000", "{");
      const chunks = chunk("y".repeat(limit)) + chunk("y");
      const chunked = await send("transfer-encoding: chunked", chunks);
      expect([line, declared, chunked]).toEqual([line, refusal, refusal]);
      const fits = await send(`content-length: ${limit}`, padded(limit));
      expect([line, fits]).not.toEqual([line, 413]);
    }
  });

  test("the 413 is a problem document that names the limit", async () => {
    const { url } = await startServerWithMail();
    const response = await createBrowser(url).call("POST", "/api/auth/sign-out", padded(limit + 1));
    expect([response.status, response.headers.get("content-type")]).toEqual([
      413,
      "application/problem+json",
    ]);
    expect(await response.json()).toMatchObject({
      ...{ status: 413, code: "payload_too_large", requestId: expect.any(String) },
      detail: expect.stringContaining("16384 bytes"),
    });
  });
});

const refused = [
  "x".repeat(101),
  "🔑".repeat(101),
  "x".repeat(10_000),
  // U+0000 is refused in all of a body, as text.
  ..."\b\t\n\r\u001b\u007f\u009b\u2028\u2029\u202e\u2066\u200f\u061c",
];
const accepted = ["Ann", "x".repeat(100), "🔑".repeat(100), "Åsa Ødegård-O'Neil", "ابن سينا", "李"];

describe("an account's name has at most 100 characters and no control characters", () => {
  test("sign-up rejects any other name", async () => {
    const { url, mails } = await startServerWithMail();
    const signUp = (name: unknown, i: number) =>
      createBrowser(url).call("POST", "/api/auth/sign-up/email", {
        ...{ name, password, email: `a${i}@example.com` },
      });
    for (const [i, name] of refused.entries()) {
      const response = await signUp(name.length > 1 ? name : `Ann${name}Bob`, i);
      expect([name, response.status]).toEqual([name, 400]);
      expect(await response.json()).toMatchObject({
        code: "INVALID_NAME",
        message: expect.stringContaining("at most 100 characters"),
      });
    }
    expect(mails).toEqual([]);
    for (const [i, name] of accepted.entries()) {
      expect([name, (await signUp(name, i)).status]).toEqual([name, 200]);
    }
  });

  test("a change of the name is checked in the same way", async () => {
    const { url, settings } = await startServerWithMail();
    const browser = createBrowser(url);
    await browser.signUp("ann@example.com");
    const accounts = new Sqlite(join(settings.DATA_DIR, "accounts.db"));
    accounts.exec("UPDATE user SET emailVerified = 1");
    accounts.close();
    const rename = (name: unknown) => browser.call("POST", "/api/auth/update-user", { name });
    for (const name of [...refused.map((one) => `Ann${one}`), 7, { x: 1 }, ["Ann"], null]) {
      const response = await rename(name);
      expect([name, response.status, (await response.json()).code]).toEqual([
        ...[name, 400, "INVALID_NAME"],
      ]);
    }
    expect((await (await browser.call("GET", "/api/site")).json()).account.name).toBe("Ann");
    for (const name of accepted) expect([name, (await rename(name)).status]).toEqual([name, 200]);
  });
});
