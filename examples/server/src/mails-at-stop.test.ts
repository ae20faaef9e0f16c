import { type Logger, silentLogger } from "@device-gateway/core";
import { expect, it, vi } from "vitest";
import { startServer } from "./server.js";
import { Settings } from "./settings/settings.js";
import { createBrowser } from "./testing/account.js";
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
