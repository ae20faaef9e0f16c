import type { Mail } from "../accounts/mail/send-mail.js";

export const password = "correct horse battery";

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
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map((pair) => pair.join("=")).join("; ");
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        origin: url,
        "sec-fetch-site": "same-origin",
        ...(proxied && { "x-forwarded-for": address }),
        ...(jar.size > 0 && { cookie: cookies() }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  return {
    call,
    cookie: cookies,
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
