import { silentLogger } from "@device-gateway/core";
import { onTestFinished } from "vitest";
import type { z } from "zod";
import type { Mail } from "../accounts/mail/send-mail.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { makeDataFolder } from "./start-test-server.js";

export { createBrowser, linkIn, password, tokenIn } from "./account-browser.js";

/** Starts a server and records its mails, so that a test can follow their links. `accept` is the mail server. */
export async function startServerWithMail(
  overrides: Partial<z.input<typeof Settings>> = {},
  onStop: (stop: () => Promise<void>) => void = onTestFinished,
  accept: (mail: Mail) => Promise<void> = async () => {},
) {
  const DATA_DIR = overrides.DATA_DIR ?? (await makeDataFolder(overrides));
  const settings = Settings.parse({ PORT: 0, TRUSTED_PROXIES: 1, ...overrides, DATA_DIR });
  const mails: Mail[] = [];
  const sendMail = (mail: Mail) => {
    mails.push(mail);
    return accept(mail);
  };
  const server = await startServer(settings, { logger: silentLogger, sendMail });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  onStop(stop);
  return { ...server, stop, settings, mails };
}
