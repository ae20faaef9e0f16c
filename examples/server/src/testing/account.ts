import { silentLogger } from "@device-gateway/core";
import { onTestFinished } from "vitest";
import type { z } from "zod";
import type { Mail } from "../accounts/send-mail.js";
import { startServer } from "../server.js";
import { Settings } from "../settings/settings.js";
import { makeTempFolder } from "./start-test-server.js";

export const password = "correct horse battery";

/** Starts a server and records its mails, so that a test can follow their links. */
export async function startServerWithMail(overrides: Partial<z.input<typeof Settings>> = {}) {
  const DATA_DIR = overrides.DATA_DIR ?? (await makeTempFolder());
  const settings = Settings.parse({ PORT: 0, TRUSTED_PROXIES: 1, ...overrides, DATA_DIR });
  const mails: Mail[] = [];
  const sendMail = async (mail: Mail) => void mails.push(mail);
  const server = await startServer(settings, { logger: silentLogger, sendMail });
  onTestFinished(() => server.stop());
  return { ...server, settings, mails };
}

/** Returns the link in a mail. */
export const linkIn = (mail: Mail | undefined): string =>
  /https?:\S+/.exec(mail?.text ?? "")?.[0] ?? "";

/** Returns the token in the fragment of a mail's link. */
export const tokenIn = (mail: Mail | undefined): string =>
  /[#?&]token=([^&]+)/.exec(linkIn(mail))?.[1] ?? "";

let browsers = 0;

/**
 * Simulates a browser: it keeps its cookie and sends `origin` and `sec-fetch-site`. With `proxied`, each browser has its own
 * client address, because attempts are limited by address.
 */
export function createBrowser(url: string, { proxied = true } = {}) {
  const number = ++browsers;
  const address = `198.18.${(number >> 8) & 255}.${number & 255}`;
  let cookie = "";
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        origin: url,
        "sec-fetch-site": "same-origin",
        ...(proxied && { "x-forwarded-for": address }),
        ...(cookie !== "" && { cookie }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) cookie = line.split(";")[0] ?? "";
    return response;
  };
  return {
    call,
    cookie: () => cookie,
    signUp: (email: string, callbackURL = "/") =>
      call("POST", "/api/auth/sign-up/email", { email, password, name: "Ann", callbackURL }),
    signIn: (email: string, word = password) =>
      call("POST", "/api/auth/sign-in/email", { email, password: word }),
    verify: (mail: Mail | undefined, word = password) =>
      call("POST", "/api/auth/verify-email", { token: tokenIn(mail), password: word }),
    claim: async (deviceId: string, claimCode: string) => {
      const { token } = await (await call("POST", "/api/auth/token")).json();
      const authorization = `Bearer ${token}`;
      return call("POST", "/api/v1/user/devices/claim", { deviceId, claimCode }, { authorization });
    },
  };
}
