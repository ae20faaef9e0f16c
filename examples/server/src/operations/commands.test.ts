import { spawn } from "node:child_process";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, inject, it, onTestFinished } from "vitest";
import { createTemporaryDatabase } from "../../../../packages/store-postgres/src/testing/temporary-database.js";
import { Settings } from "../settings/settings.js";
import { createBrowser, startServerWithMail } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { buildServer, startServerProcess } from "../testing/server-process.js";
import { makeTempFolder, startTestServer } from "../testing/start-test-server.js";
import { useAccountTables } from "./account-tables.js";
import { findAccount } from "./find-account.js";
import { signEverybodyOut } from "./sign-everybody-out.js";
import { webhooks } from "./webhooks.js";

useCheapScrypt();

const devicesPath = "/api/v1/dashboard/devices";

/** Runs a command of the built program in its own process, as an operator would. */
async function runProcess(program: string, DATA_DIR: string, ...args: string[]) {
  const env = { PATH: process.env["PATH"], DATA_DIR };
  const child = spawn(process.execPath, [program, ...args], { env });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

async function run(command: typeof findAccount, settings: Settings, ...args: string[]) {
  const lines: string[] = [];
  const code = await command(settings, args, (line) => lines.push(line));
  return { code, output: lines.join("\n") };
}

/**
 * Creates two accounts with a session each. The first also gets a bearer token and a mailed link that resets its password.
 */
async function signUpTwo(url: string) {
  const people = [createBrowser(url), createBrowser(url)] as const;
  for (const [i, browser] of people.entries()) await browser.signUp(`person${i}@example.com`);
  const { token } = await (await people[0].call("POST", "/api/auth/token")).json();
  const email = "person0@example.com";
  await createBrowser(url).call("POST", "/api/auth/request-password-reset", { email });
  const statuses = async () => {
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    const byCookie = people.map(({ call }) => call("GET", devicesPath));
    const responses = await Promise.all([...byCookie, fetch(url + devicesPath, bearer)]);
    return responses.map(({ status }) => status);
  };
  return { statuses, browser: people[0], email };
}

const signedOut = expect.stringMatching(
  /^Everybody is signed out: 2 sessions and [1-9]\d* unused mail links? ended\.\n?$/,
);

it("back-up, find-account and sign-everybody-out work while a server runs", async () => {
  const program = await buildServer();
  const DATA_DIR = await makeTempFolder();
  const limits = { DG_LIMIT_TELEMETRY_PER_MINUTE: "1000000" };
  const first = await startServerProcess(program, { DATA_DIR, TRUSTED_PROXIES: "1", ...limits });
  const device = createDeviceClient({ baseUrl: first.url });
  const identity = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
  (await device.register({ deviceId: "gw-1", ...identity }))._unsafeUnwrap();
  const { statuses, browser, email } = await signUpTwo(first.url);

  let copied = false;
  const write = async () => {
    for (let n = 0; !copied; n++) (await device.sendTelemetry({ n }))._unsafeUnwrap();
  };
  const writing = write();
  const backup = join(await makeTempFolder(), "backup");
  const backedUp = await runProcess(program, DATA_DIR, "back-up", backup).finally(() => {
    copied = true;
  });
  await writing;
  expect(backedUp).toMatchObject({ code: 0, out: expect.stringContaining(`into ${backup}`) });

  const found = await runProcess(program, DATA_DIR, "find-account", email.toUpperCase());
  const account = { id: expect.any(String), email, emailVerified: false, sessions: 1 };
  expect([found.code, JSON.parse(found.out)]).toEqual([0, account]);

  expect(await statuses()).toEqual([200, 200, 200]);
  const ended = await runProcess(program, DATA_DIR, "sign-everybody-out");
  expect(ended).toEqual({ code: 0, out: signedOut, err: "" });
  expect(await statuses()).toEqual([401, 401, 401]);
  expect((await browser.signIn(email)).status).toBe(200);
  expect((await browser.call("GET", devicesPath)).status).toBe(200);
  expect(await first.end("SIGTERM")).toBe(0);

  await copyFile(join(DATA_DIR, "secrets.json"), join(backup, "secrets.json"));
  const second = await startServerProcess(program, { DATA_DIR: backup });
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  const again = createBrowser(second.url, { proxied: false });
  expect((await again.signIn(email)).status).toBe(200);
  expect(await second.end("SIGTERM")).toBe(0);
});

it("sign-everybody-out ends the sessions of all servers that share a Postgres", async () => {
  const { url: DATABASE_URL, remove } = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(remove);
  const { url, settings } = await startServerWithMail({ DATABASE_URL });
  const { statuses, email } = await signUpTwo(url);
  expect(await statuses()).toEqual([200, 200, 200]);
  const account = expect.stringContaining(`"email":"${email}","emailVerified":false,"sessions":1}`);
  expect(await run(findAccount, settings, email)).toEqual({ code: 0, output: account });
  expect(await run(signEverybodyOut, settings)).toEqual({ code: 0, output: signedOut });
  expect(await statuses()).toEqual([401, 401, 401]);
});

it.each(["SQLite", "Postgres"])("find-account on %s counts no expired sessions", async (kind) => {
  let DATABASE_URL: string | undefined;
  if (kind === "Postgres") {
    const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
    onTestFinished(remove);
    DATABASE_URL = url;
  }
  const { url, settings } = await startServerWithMail({ DATABASE_URL });
  const { email } = await signUpTwo(url);
  const counting = (sessions: number) => ({
    ...{ code: 0, output: expect.stringContaining(`"sessions":${sessions}}`) },
  });
  expect(await run(findAccount, settings, email)).toEqual(counting(1));
  await useAccountTables(settings, (tables) =>
    tables
      .updateTable("session")
      .set({ expiresAt: new Date(0).toISOString() })
      .execute(),
  );
  expect(await run(findAccount, settings, email)).toEqual(counting(0));
});

it("account commands report what is missing, and create no database", async () => {
  const DATA_DIR = await makeTempFolder();
  const settings = Settings.parse({ DATA_DIR });
  const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
  const unreachable = Settings.parse({ DATA_DIR, DATABASE_URL });
  for (const [command, given, args, code, sentence] of [
    [signEverybodyOut, settings, [], 1, `There is no accounts.db in ${DATA_DIR}.`],
    [signEverybodyOut, settings, ["now"], 2, "Usage: "],
    [signEverybodyOut, unreachable, [], 1, "The accounts cannot be used: "],
    [findAccount, settings, ["a@example.com"], 1, `There is no accounts.db in ${DATA_DIR}.`],
    [findAccount, settings, [], 2, "Usage: "],
    [findAccount, settings, ["--help"], 2, "Usage: "],
  ] as const) {
    const output = expect.stringContaining(sentence);
    expect(await run(command, given, ...args)).toEqual({ code, output });
  }
  expect(await readdir(DATA_DIR)).toEqual([]);
});

it("webhooks needs the database and the secrets of the server, and creates neither", async () => {
  const DATA_DIR = await makeTempFolder();
  const settings = Settings.parse({ DATA_DIR });
  const usage = { code: 2, output: expect.stringMatching(/^Usage: /) };
  expect(await run(webhooks, settings)).toEqual(usage);
  expect(await run(webhooks, settings, "list")).toEqual({
    code: 1,
    output: `There is no gateway.db in ${DATA_DIR}. Set DATA_DIR to its folder.`,
  });
  expect(await readdir(DATA_DIR)).toEqual([]);
  const server = await startTestServer();
  await server.stop();
  await copyFile(join(server.settings.DATA_DIR, "gateway.db"), join(DATA_DIR, "gateway.db"));
  expect(await run(webhooks, settings, "list")).toEqual({
    code: 1,
    output: `There is no secrets.json in ${DATA_DIR}. Set DATA_DIR to its folder.`,
  });
  expect(await readdir(DATA_DIR)).toEqual(["gateway.db"]);
});

it("webhooks refuses secrets that are not those of the database", async () => {
  const { settings, stop } = await startTestServer();
  await stop();
  const other = await startTestServer();
  const { DATA_DIR } = settings;
  await copyFile(join(other.settings.DATA_DIR, "secrets.json"), join(DATA_DIR, "secrets.json"));
  const program = await buildServer();
  const added = await runProcess(program, DATA_DIR, "webhooks", "add", "https://example.com/hook");
  expect(added).toEqual({
    ...{ code: 1, out: "" },
    err: expect.stringMatching(/^gateway\.db in .* was first used with other secrets/),
  });
});

it("find-account and sign-everybody-out distinguish an unknown account from a file without accounts", async () => {
  const { settings, stop } = await startTestServer();
  await stop();
  expect(await run(findAccount, settings, "a@example.com")).toEqual({
    code: 1,
    output: "There is no account with the address a@example.com.",
  });
  const { DATA_DIR } = settings;
  await copyFile(join(DATA_DIR, "gateway.db"), join(DATA_DIR, "accounts.db"));
  expect(await run(signEverybodyOut, settings)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The accounts cannot be used: no such table: .*Check that/),
  });
});
