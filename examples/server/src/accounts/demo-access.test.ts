import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLogger } from "../logger.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { createBrowser, startServerWithMail } from "../testing/account.js";
import { makeTempFolder } from "../testing/start-test-server.js";

const demo = { DEMO: true, TRUSTED_PROXIES: 0 } as const;

/** Sends a request as it stands, which no HTTP client would: it would normalise the path. */
const sendRaw = (url: string, lines: readonly string[], body = "") =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    let answer = "";
    socket.on("data", (piece: string) => {
      answer += piece;
    });
    socket.once("close", () => resolve(answer)).once("error", reject);
    const length = `content-length: ${Buffer.byteLength(body)}`;
    socket.write([...lines, "connection: close", length, "", body].join("\r\n"), "latin1");
  });
const tokenIn = (demoUrl = "") => /#demo=([\w-]{22})$/.exec(demoUrl)?.[1] ?? "";
const statusOf = (answer: string) => Number(answer.split(" ")[1]);

/** Segments that a parser of URLs drops or resolves, or takes for a slash. */
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

test("no spelling of its path reaches the demo's operator through a proxy", async () => {
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
      const answer = await sendRaw(url, [`POST ${path} HTTP/1.1`, ...headers, `origin: ${url}`]);
      expect([path, name, /set-auth-token|set-cookie/i.test(answer)]).toEqual([path, name, false]);
      expect([path, name, statusOf(answer) >= 400]).toEqual([path, name, true]);
      if ([...ambiguous, ...others].includes(path))
        expect([path, name, statusOf(answer)]).toEqual([path, name, 400]);
    }
  }
});

test("the demo needs the token of its link as well as a request of this machine", async () => {
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
  // As often as it is shown: a second browser opens the demo too.
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

test("the demo's mails and claim code need the token too, since links in mails sign people in", async () => {
  const { url, demoUrl } = await startServerWithMail(demo);
  const ask = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { "x-demo-token": token };
    return fetch(url + path, { headers });
  };
  const readDemo = async (token?: string) => (await (await ask("/api/site", token)).json()).demo;
  const token = tokenIn(demoUrl);
  for (const wrong of [undefined, `${token}x`]) {
    expect((await ask("/api/demo/mails", wrong)).status).toBe(404);
    expect(await readDemo(wrong)).toEqual({ open: false, label: null });
  }
  expect((await ask("/api/demo/mails", token)).status).toBe(200);
  expect(await readDemo(token)).toMatchObject({ open: true });
});

test("the token is never logged, be it right or wrong", async () => {
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

test("an identifier may still hold any other escape", async () => {
  const { url } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp("ann@example.com");
  for (const id of ["gw%3a1", "gw:1", "gw%2D1", "g.w", "..gw"]) {
    const answer = await browser.call("GET", `/api/v1/dashboard/devices/${id}`);
    expect([id, (await answer.json()).code]).toEqual([id, "device_not_found"]);
  }
});
