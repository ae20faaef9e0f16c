import { customer, type Logger, silentLogger } from "@device-gateway/core";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, it, onTestFinished, vi } from "vitest";
import { openAccounts } from "./accounts/accounts.js";
import type { Mail } from "./accounts/mail/send-mail.js";
import { trackMails } from "./accounts/mail/track-mails.js";
import { startServer } from "./server.js";
import { Settings } from "./settings/settings.js";
import { createBrowser, startServerWithMail } from "./testing/account.js";
import { useCheapScrypt } from "./testing/cheap-scrypt.js";
import { makeTempFolder } from "./testing/start-test-server.js";

useCheapScrypt();

function createSignal() {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** Starts a server and signs somebody up. The server sends the mail until the test ends that. */
async function startWithUnsentMail(stopMs: number) {
  const [mail, waiting] = [createSignal(), createSignal()];
  const info: Logger["info"] = (_fields, message) => {
    if (message === "Waiting for mails to be sent") waiting.give();
  };
  const sendMail = vi.fn(() => mail.given);
  const DATA_DIR = await makeTempFolder();
  const settings = Settings.parse({ PORT: 0, TRUSTED_PROXIES: 1, DATA_DIR });
  const options = { logger: { ...silentLogger, info }, sendMail, stopMs };
  const server = await startServer(settings, options);
  const signedUp = await createBrowser(server.url).signUp("ann@example.com");
  expect(signedUp.status).toBe(200);
  await expect.poll(() => sendMail.mock.calls.length).toBe(1);
  return { server, waiting: waiting.given, endMail: mail.give };
}

it("a server that stops waits for the mails that it is sending", async () => {
  const { server, waiting, endMail } = await startWithUnsentMail(600_000);
  const steps: string[] = [];
  const stopped = server.stop().then(() => void steps.push("stopped"));
  await Promise.race([waiting, stopped]);
  steps.push("sent");
  endMail();
  await stopped;
  expect(steps).toEqual(["sent", "stopped"]);
});

it("a server stops although a mail is never sent", async () => {
  const { server } = await startWithUnsentMail(1);
  await server.stop();
});

/** Creates an account with a verified address. Returns what is needed to open its server's accounts again. */
async function createAccount(email: string) {
  const { url, mails, settings, stop } = await startServerWithMail();
  const browser = createBrowser(url);
  await browser.signUp(email);
  expect((await browser.verify(mails[0])).status).toBe(200);
  const { user } = await (await browser.call("GET", "/api/auth/get-session")).json();
  await stop();
  return { url, settings, id: String(user.id) };
}

it("a stop right after a claim waits for the notice to the owner, which is not written yet", async () => {
  const { id, settings, url } = await createAccount("ann@example.com");
  const sent: Mail[] = [];
  const { send, track, settle } = trackMails(async (mail) => void sent.push(mail), silentLogger);
  const accounts = await openAccounts({
    ...{ settings, url, track, sendMail: send, demo: undefined, logger: silentLogger },
    pepper: "p".repeat(32),
  });
  onTestFinished(() => accounts.close());
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  accounts.connect(cloud.gateway, cloud.store);
  const sentBeforeStop = new Promise<readonly Mail[]>((resolve) => {
    cloud.gateway.on("device.claimed", () => settle().then(() => resolve([...sent])));
  });
  const { deviceId, claimCode } = await cloud.addDevice();
  const owner = cloud.gateway.as(customer({ id, emailVerified: true }));
  expect((await owner.claimDevice({ body: { deviceId, claimCode } })).isOk()).toBe(true);
  expect(await sentBeforeStop).toMatchObject([
    { to: "ann@example.com", subject: "Your devices have changed" },
  ]);
});
