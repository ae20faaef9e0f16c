import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mail } from "../../../examples/server/src/accounts/mail/send-mail.js";
import { createLogger } from "../../../examples/server/src/log/logger.js";
import { startServer } from "../../../examples/server/src/server.js";
import { Settings } from "../../../examples/server/src/settings/settings.js";
import { createStorage, type StorageKind } from "../storage.js";
import { collectSecrets } from "./collect.js";
import { dump } from "./dump.js";
import type { Place } from "./find-secrets.js";
import type { Run } from "./library-run.js";

const password = "correct horse battery staple 8813";
const customerSecret = "kT3v-9xWq_7LmZ2pRb8N-hY4cD6sJ1fG0aVu";
const claimCode = "QWERTY-91827";
const sinkToken = "zR7w-1uXk_5BqTn3Vd";
const sinkPassword = "hM4p-8yLc_2GsKe6Jf";

/** Reads every file of a folder except the secrets file. */
function filesOf(folder: string): Place[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile() && !file.endsWith("secrets.json"))
    .map((file) => ({ what: file.slice(folder.length + 1), bytes: readFileSync(file) }));
}

/** Runs the bundled server with accounts: signing up and in, resetting a password, and errors. */
export async function runServer(kind: StorageKind): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "torture-secret-leaks-"));
  const storage = await createStorage(kind);
  const { place } = storage;
  const isPostgres = place?.startsWith("postgres") ?? false;
  const settings = Settings.parse({
    PORT: 0,
    DATA_DIR: folder,
    TRUSTED_PROXIES: 1,
    LOG_LEVEL: "trace",
    CUSTOMER_JWT_SECRET: customerSecret,
    CUSTOMER_JWT_ISSUER: "https://id.example.com",
    CUSTOMER_JWT_AUDIENCE: "device-gateway",
    // Nothing listens there, so that each failure is logged.
    TELEMETRY_SINK_URL: `http://sink:${sinkPassword}@127.0.0.1:9/write?p=${sinkPassword}`,
    TELEMETRY_SINK_TOKEN: sinkToken,
    ...(isPostgres && { DATABASE_URL: place }),
  });
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const logger = createLogger({ level: "trace", readable: false, coloured: false, write });
  const mails: Mail[] = [];
  const sendMail = async (mail: Mail) => void mails.push(mail);
  const { url, stop } = await startServer(settings, { logger, sendMail });

  const collected = collectSecrets();
  const planted = { password, claimCode, customerSecret, sinkToken, sinkPassword };
  for (const [what, value] of Object.entries(planted)) collected.add(what, value);
  // A random address: the accounts' throttles belong to the process, so rounds would slow each other down.
  const from = { "x-forwarded-for": [10, ...randomBytes(3)].join(".") };
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map((pair) => pair.join("=")).join("; ");
  let requests = 0;
  const names: string[] = [];
  const call = async (method: string, path: string, body?: unknown, headers: object = {}) => {
    requests++;
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        origin: url,
        cookie: cookies(),
        "content-type": "application/json",
        ...from,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
      collected.add("a cookie", decodeURIComponent(value));
    }
    const text = await response.text();
    const answer = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
    // A session's name without its signature is not a secret, as checked below.
    if (path.startsWith("/api/auth/sign-")) names.push(String(answer["token"]));
    else collected.addFields(answer);
    return answer;
  };
  const readToken = (mail: Mail | undefined) =>
    /#(?:\S*&)?token=([^&\s]+)/.exec(mail?.text ?? "")?.[1] ?? "";

  const account = { email: "ann@example.com", password, name: "Ann" };
  await call("POST", "/api/auth/sign-up/email", { ...account, callbackURL: "/" });
  const proof = readToken(mails.at(-1));
  collected.add("a mail's token", proof);
  await call("POST", "/api/auth/verify-email", { token: proof, password: `${password} wrong` });
  await call("POST", "/api/auth/verify-email", { token: proof, password });
  await call("POST", "/api/auth/sign-in/email", account);
  await call("POST", "/api/auth/sign-in/email", { ...account, password: `${password} wrong` });
  const { token } = await call("POST", "/api/auth/token");
  const bearer = { authorization: `Bearer ${String(token)}` };
  const registration = {
    deviceId: "gw-leak-marker",
    hardwareId: "board",
    firmwareVersion: "1.0.0",
    claimCode,
  };
  const device = await call("POST", "/api/v1/device/register", registration);
  const sender = { authorization: `Bearer ${String(device["token"])}` };
  await call("POST", "/api/v1/telemetry", { soc: 50 }, sender);
  await call("POST", "/api/v1/device/register", { ...registration, claimCode: 5 });
  await call("POST", "/api/v1/device/register", `{"claimCode":"${claimCode}", broken`);
  const { deviceSecret } = device;
  await call("POST", "/api/v1/device/login", { deviceId: "gw-leak-marker", deviceSecret });
  await call("POST", `/api/v1/device/login?deviceSecret=${String(deviceSecret)}`, { deviceId: 1 });
  await call("POST", "/api/v1/user/devices/claim", registration, bearer);
  await call("GET", `/api/v1/dashboard/devices?token=${String(token)}`);
  await call("GET", `/nothing/here?token=${String(token)}`, undefined, bearer);
  await call("POST", "/api/auth/request-password-reset", { email: account.email, redirectTo: "/" });
  // This token is still valid when the database is searched.
  collected.add("a mail's token for another password", readToken(mails.at(-1)));
  await call("POST", "/api/auth/reset-password", {
    newPassword: password,
    token: "of-nobody-8813",
  });
  const openedBy = async (headers: Record<string, string>) =>
    (await fetch(`${url}/api/v1/dashboard/devices`, { headers })).status === 200;
  const opened = await openedBy({ cookie: cookies() });
  const session = [...jar.keys()].find((name) => name.endsWith("session_token")) ?? "";
  const forged = await Promise.all(
    names.flatMap((name) => [
      openedBy({ cookie: `${session}=${name}` }),
      openedBy({ authorization: `Bearer ${name}` }),
    ]),
  );
  await stop();
  const files = filesOf(folder);
  const rows = isPostgres && place !== null ? await dump(place) : [];
  rmSync(folder, { recursive: true });
  await storage.remove();
  return {
    places: [{ what: "the server's log", bytes: Buffer.from(lines.join("")) }, ...files, ...rows],
    collected,
    markers: ["gw-leak-marker", "ann@example.com", "Request answered"],
    broken: [
      ...(opened ? [] : ["the complete cookie is refused, so the next check proves nothing"]),
      ...(forged.includes(true) ? ["a session's name is accepted without a signature"] : []),
    ],
    requests,
  };
}
