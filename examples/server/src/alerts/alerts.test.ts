import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { AlertMessage } from "@device-gateway/alerts";
import type { AlertNotification } from "@device-gateway/core/store";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import type { Mail } from "../accounts/mail/send-mail.js";
import { createSmtpMail } from "../accounts/mail/smtp-mail.js";
import { createBrowser, startServerWithMail } from "../testing/account.js";
import { useCheapScrypt } from "../testing/cheap-scrypt.js";
import { createAlertMailChannel } from "./alert-mail-channel.js";
import { unsubscribePath } from "./unsubscribe-route.js";
import { createUnsubscribeTokens } from "./unsubscribe-tokens.js";

useCheapScrypt();

type Server = Awaited<ReturnType<typeof startServerWithMail>>;
type Browser = ReturnType<typeof createBrowser>;

const operator = "op@example.com";
const rulesPath = "/api/v1/dashboard/alert-rules";

/** Signs up an account with a verified address. */
async function signUp({ url, mails }: Server, email: string): Promise<Browser> {
  const browser = createBrowser(url);
  await browser.signUp(email);
  expect((await browser.verify(mails.findLast(({ to }) => to === email))).status).toBe(200);
  return browser;
}

const readRules = async (browser: Browser) => (await browser.call("GET", rulesPath)).json();

/** Registers a device of the user. Returns a function that sends telemetry. */
async function addDevice(url: string, owner: Browser, deviceId: string) {
  const post = async (path: string, body: object, token = "none") => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${url}/api/v1${path}`, init)).json();
  };
  const claimCode = "ABCD-EFGH";
  const facts = { hardwareId: "esp32:test", firmwareVersion: "0.1.10" };
  const { token } = await post("/device/register", { deviceId, claimCode, ...facts });
  expect((await owner.claim(deviceId, claimCode)).status).toBe(200);
  return (record: object) => post("/telemetry", record, token);
}

test("§8 an alert rule of docs/alerts.md mails its owner, who ends it with one click", async () => {
  const server = await startServerWithMail({ OPERATOR_EMAILS: operator });
  const { url, mails } = server;
  const page = await readFile(new URL("../../../../docs/alerts.md", import.meta.url), "utf8");
  const [own = {}, ofFleet = {}] = [...page.matchAll(/```json\n(.*?)```/gs)].map(
    ([, body = ""]) => JSON.parse(body) as { condition?: object },
  );
  const op = await signUp(server, operator);
  expect((await op.call("POST", `${rulesPath}?scope=operator`, ofFleet)).status).toBe(201);
  const ann = await signUp(server, "ann@example.com");
  // Without the hold time, the first record counts.
  const rule = { ...own, condition: { ...own.condition, holdSeconds: 0 } };
  expect((await ann.call("POST", rulesPath, own)).status).toBe(201);
  expect((await ann.call("POST", rulesPath, rule)).status).toBe(201);
  const send = await addDevice(url, ann, "gw-1");
  await send({ soc: 12 });

  const mail = await expect
    .poll(() => mails.find(({ subject }) => subject === "Battery low (gw-1) is firing"))
    .toBeDefined()
    .then(() => mails.find(({ subject }) => subject === "Battery low (gw-1) is firing"));
  expect(mail?.to).toBe("ann@example.com");
  expect(mail?.text).toContain("soc was 12");
  const link = mail?.unsubscribeUrl ?? "";
  expect(mail?.text).toContain(link);
  expect((await readRules(ann)).evaluatedAt).toEqual(expect.any(String));

  const muted = async () =>
    (await readRules(ann)).rules.filter(({ mutedUntil }: { mutedUntil: unknown }) => mutedUntil);
  const shown = await fetch(link);
  expect(await shown.text()).toContain('<form method="post">');
  expect(await muted()).toEqual([]);
  const click = (address: string) =>
    fetch(address, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
  // Not the last character: some of its bits are not part of the signature.
  const forged = link.replace(/.(?=.{9}$)/, (letter) => (letter === "A" ? "B" : "A"));
  expect((await click(forged)).status).toBe(404);
  expect((await click(link)).status).toBe(200);
  expect(await muted()).toMatchObject([{ mutedUntil: "9999-12-31T23:59:59.000Z" }]);
  const { ownerId } = createUnsubscribeTokens("another pepper").read("a.b") ?? { ownerId: null };
  expect(ownerId).toBeNull();
});

test("§8 the server stops although a mail server never answers", async () => {
  const accept = ({ subject }: Mail) =>
    subject.endsWith("is firing") ? new Promise<void>(() => {}) : Promise.resolve();
  const server = await startServerWithMail({}, onTestFinished, accept);
  const ann = await signUp(server, "ann@example.com");
  const condition = { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 0 };
  expect((await ann.call("POST", rulesPath, { name: "Low", condition })).status).toBe(201);
  const send = await addDevice(server.url, ann, "gw-1");
  await send({ soc: 12 });
  const subjects = () => server.mails.map(({ subject }) => subject);
  await expect.poll(subjects).toContain("Low (gw-1) is firing");
  await server.stop();
});

/** Starts a mail server that refuses the first mail. */
async function startMailServer() {
  const sources: string[] = [];
  let refusals = 1;
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true },
    onData(stream, _session, done) {
      void text(stream).then((source) => {
        sources.push(source);
        done(refusals-- > 0 ? new Error("Try again") : null);
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return { sources, url: `smtp://127.0.0.1:${port}` };
}

test("§8 a repeated alert mail has the same Message-ID, and mail programs can end it with one click", async () => {
  const { sources, url } = await startMailServer();
  const tokens = createUnsubscribeTokens("pepper");
  const channel = createAlertMailChannel({
    ...{ url: "https://gw.example.com", sendMail: createSmtpMail(url, "no-reply@example.com") },
    ...{ tokens, operatorAddresses: [operator] },
    findAddress: async (id) => (id === "ann" ? "ann@example.com" : null),
  });
  const message = (ownerId: string | null): AlertMessage => ({
    ...{ id: "a1-firing", ownerId },
    notifications: [
      {
        ...{ id: "a1-firing", alertId: "a1", ruleId: "r1", ownerId, deviceId: "gw-1" },
        ...{ kind: "firing", at: 0, dueAt: 0, attempts: 1, delivered: [] },
        details: { name: "Silent", condition: "silent", lastTelemetryAt: 0 },
      },
    ],
  });
  await expect(channel.send(message("ann"))).rejects.toThrow("Try again");
  await channel.send(message("ann"));
  await channel.send(message(null));
  await channel.send(message("somebody without a verified address"));
  expect(sources).toHaveLength(3);
  for (const source of sources.slice(0, 2)) {
    expect(source).toContain("Message-ID: <a1-firing@gw.example.com>");
    expect(source).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    const header = source.replaceAll("\r\n ", " ");
    const [, token = ""] =
      new RegExp(`List-Unsubscribe: <https://gw.example.com${unsubscribePath}\\?token=(.*?)>`).exec(
        header,
      ) ?? [];
    expect(tokens.read(token)).toEqual({ ownerId: "ann", ruleId: "r1" });
  }
  expect(sources[2]).not.toContain("List-Unsubscribe");
});

test("§8 an operator address that is refused does not stop the mails to the others, who get each alert once", async () => {
  const sent: string[] = [];
  let refused = "bad@example.com";
  const channel = createAlertMailChannel({
    ...{ url: "https://gw.example.com", tokens: createUnsubscribeTokens("pepper") },
    ...{ operatorAddresses: ["a@example.com", "bad@example.com", "b@example.com"] },
    findAddress: async () => null,
    async sendMail({ to, subject, messageId }) {
      if (to === refused) throw new Error("No such mailbox");
      sent.push(`${to}: ${subject} ${messageId ?? ""}`);
    },
  });
  const toNotification = (id: string): AlertNotification => ({
    ...{ id, alertId: id, ruleId: "r1", ownerId: null, deviceId: id, kind: "firing" },
    ...{ at: 0, dueAt: 0, attempts: 1, delivered: [], details: { name: "Silent" } },
  });
  const send = (id: string, ...about: string[]) =>
    channel.send({ id, ownerId: null, notifications: about.map(toNotification) });
  const refusal = "1 of 3";
  await expect(send("m1", "gw-1")).rejects.toThrow(refusal);
  await expect(send("m1", "gw-1")).rejects.toThrow(refusal);
  expect(sent.splice(0)).toEqual([
    "a@example.com: Silent (gw-1) is firing <m1-0@gw.example.com>",
    "b@example.com: Silent (gw-1) is firing <m1-2@gw.example.com>",
  ]);
  // The repetition can be part of a digest, which has another id.
  await expect(send("digest", "gw-1", "gw-2")).rejects.toThrow(refusal);
  expect(sent.splice(0)).toEqual([
    "a@example.com: Silent (gw-2) is firing <digest-0@gw.example.com>",
    "b@example.com: Silent (gw-2) is firing <digest-2@gw.example.com>",
  ]);
  refused = "";
  await send("digest", "gw-1", "gw-2");
  expect(sent).toEqual(["bad@example.com: 2 alerts <digest-1@gw.example.com>"]);
});
