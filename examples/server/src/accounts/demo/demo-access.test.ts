import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLogger } from "../../log/logger.js";
import { startServer } from "../../server.js";
import { Settings } from "../../settings/settings.js";
import { createBrowser, startServerWithMail } from "../../testing/account.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { makeTempFolder } from "../../testing/start-test-server.js";

useCheapScrypt();

const demo = { DEMO: true, TRUSTED_PROXIES: 0 } as const;

/** Sends a request byte for byte. An HTTP client would normalise the path. */
const sendRaw = (url: string, lines: readonly string[], body = "") =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    let response = "";
    socket.on("data", (piece: string) => {
      response += piece;
    });
    socket.once("close", () => resolve(response)).once("error", reject);
    const length = `content-length: ${Buffer.byteLength(body)}`;
    socket.write([...lines, "connection: close", length, "", body].join("\r\n"), "latin1");
  });
const tokenIn = (demoUrl = "") => /#demo=([\w-]{22})$/.exec(demoUrl)?.[1] ?? "";
const statusOf = (response: string) => Number(response.split(" ")[1]);

/** Segments that a URL parser drops, resolves or reads as a slash. */
const dots = [".", "%2e", "%2E"];
const doubleDots = dots.flatMap((a) => dots.map((b) => a + b));
const slashes = ["/", "\\", "%2f", "%2F", "%5c", "%5C"];
const ambiguous = slashes.flatMap((slash) => [
  ...dots.map((dot) => `/api/auth/${dot}${slash}demo`),
  ...dots.map((dot) => `/api${slash}${dot}/auth/demo`),
  ...doubleDots.map((up) => `/api/auth/x${slash}${up}/demo`),
  ...doubleDots.map((up) => `/x/${up}${slash}api/auth/demo`),
  ...(slash === "/" ? [] : [`/api/auth${slash}demo`, `/api${slash}auth/demo`]),
]);
const others = [
  "/api/auth/demo%00",
  "/api/auth/demo/.",
  "/api/auth/demo/x/..",
  "/api/auth/%00/demo",
];

const unusual = [
  ...[
    "//api/auth/demo",
    "/api/auth//demo",
    "/API/AUTH/DEMO",
    "/api/auth/demo/",
    "/api/auth/demo?x=1",
  ],
  ...[
    "/api/auth/d%65mo",
    "/api/auth/%64emo",
    "/api/auth/demo;x",
    "/api/auth/demo#x",
    "/api/auth/%252e/demo",
  ],
];

test("no spelling of the demo's path lets a caller behind a proxy sign in as the demo's operator", async () => {
  const { url } = await startServerWithMail(demo);
  const { host } = new URL(url);
  const absolute = [`http://${host}/api/auth/demo`, "http://gateway.example.com/api/auth/demo"];
  const callers = {
    "a foreign name": ["host: gateway.example.com"],
    "a client that a proxy names": [`host: ${host}`, "x-forwarded-for: 203.0.113.7"],
    "a proxy that rewrites Host and names nobody": [`host: ${host}`],
    "a Host with a path": [`host: ${host}/api/auth/demo?`],
  };
  for (const path of [
    "/api/auth/demo",
    "/api/auth/ok",
    ...ambiguous,
    ...others,
    ...unusual,
    ...absolute,
  ]) {
    for (const [name, headers] of Object.entries(callers)) {
      const response = await sendRaw(url, [`POST ${path} HTTP/1.1`, ...headers, `origin: ${url}`]);
      expect([path, name, /set-auth-token|set-cookie/i.test(response)]).toEqual([
        path,
        name,
        false,
      ]);
      expect([path, name, statusOf(response) >= 400]).toEqual([path, name, true]);
      if ([...ambiguous, ...others].includes(path))
        expect([path, name, statusOf(response)]).toEqual([path, name, 400]);
    }
  }
});

test("opening the demo needs both the link's token and a request from this machine", async () => {
  const { url, demoUrl = "" } = await startServerWithMail(demo);
  const token = tokenIn(demoUrl);
  const { host } = new URL(url);
  const body = (sent: unknown) => JSON.stringify({ token: sent });
  const open = async (headers: readonly string[], sent: unknown) =>
    statusOf(
      await sendRaw(
        url,
        [
          "POST /api/auth/demo HTTP/1.1",
          ...headers,
          `origin: ${url}`,
          "content-type: application/json",
        ],
        body(sent),
      ),
    );
  const own = [`host: ${host}`];
  // The token works repeatedly, so a second browser can open the demo too.
  expect([await open(own, token), await open(own, token)]).toEqual([200, 200]);
  for (const wrong of [undefined, null, "", 0, [token], { token }, `${token}x`, token.slice(1)]) {
    expect([wrong, await open(own, wrong)]).toEqual([wrong, 403]);
  }
  expect(await open(["host: evil.example:3000"], token)).toBe(404);
  for (const header of [
    "forwarded: for=203.0.113.7",
    "x-forwarded-for: 203.0.113.7",
    "x-real-ip: ::1",
  ]) {
    expect([header, await open([...own, header], token)]).toEqual([header, 404]);
  }
  const again = await startServerWithMail({
    ...demo,
    DATA_DIR: (await startServerWithMail(demo)).settings.DATA_DIR,
  });
  expect(tokenIn(again.demoUrl)).not.toBe(token);
});

test("reading the demo's mails and claim code needs the token too, because links in mails give access to accounts", async () => {
  const { url, demoUrl } = await startServerWithMail(demo);
  const get = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { "x-demo-token": token };
    return fetch(url + path, { headers });
  };
  const readDemo = async (token?: string) => (await (await get("/api/site", token)).json()).demo;
  const token = tokenIn(demoUrl);
  for (const wrong of [undefined, `${token}x`]) {
    expect((await get("/api/demo/mails", wrong)).status).toBe(404);
    expect(await readDemo(wrong)).toEqual({ open: false, label: null });
  }
  expect((await get("/api/demo/mails", token)).status).toBe(200);
  expect(await readDemo(token)).toMatchObject({ open: true });
});

test("a demo token is never logged, neither a correct nor a wrong one", async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const logger = createLogger({ level: "trace", readable: false, coloured: false, write });
  const settings = Settings.parse({ ...demo, PORT: 0, DATA_DIR: await makeTempFolder() });
  const { url, demoUrl, stop } = await startServer(settings, { logger });
  const token = tokenIn(demoUrl);
  const browser = createBrowser(url, { proxied: false });
  for (const sent of [token, `wrong-${token}`]) {
    await browser.call("POST", "/api/auth/demo", { token: sent });
    await browser.call("GET", "/api/site", undefined, { "x-demo-token": sent });
    await browser.call("GET", "/api/v1/dashboard/devices", undefined, { "x-demo-token": sent });
  }
  await stop();
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join("")).not.toContain(token);
});

test("a device id in a path may contain any other percent escape", async () => {
  const { url } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp("ann@example.com");
  for (const id of ["gw%3a1", "gw:1", "gw%2D1", "g.w", "..gw"]) {
    const response = await browser.call("GET", `/api/v1/dashboard/devices/${id}`);
    expect([id, (await response.json()).code]).toEqual([id, "device_not_found"]);
  }
});
