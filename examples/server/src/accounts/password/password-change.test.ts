import { silentLogger } from "@device-gateway/core";
import { expect, test } from "vitest";
import { password, tokenIn } from "../../testing/account-browser.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { holdPasswordCheck } from "../../testing/hold-password-check.js";
import { openTemporaryAccounts } from "../../testing/open-temporary-accounts.js";
import { clientAddressHeader } from "../client-address.js";
import { createAuth } from "../create-auth.js";
import type { Mail } from "../mail/send-mail.js";

useCheapScrypt();

const email = "ann@example.com";
const url = "http://127.0.0.1:3000";
const words = "the owner's own words";

async function startAccounts(kind: string) {
  const database = await openTemporaryAccounts(kind);
  const mails: Mail[] = [];
  const auth = await createAuth({
    ...{ database, pepper: "p".repeat(32), url, urlIsPublic: true, logger: silentLogger },
    ...{ demo: undefined, releaseDevices: async () => {} },
    sendMail: async (mail) => void mails.push(mail),
  });
  const call = async (path: string, body: object, cookie = "") => {
    const response = await auth.handler(
      new Request(`${url}/api/auth${path}`, {
        method: "POST",
        headers: {
          ...{ origin: url, "content-type": "application/json", cookie },
          [clientAddressHeader]: "192.0.2.1",
        },
        body: JSON.stringify(body),
      }),
    );
    const { code = "" } = (await response.json()) as { readonly code?: string };
    const session = response.headers.getSetCookie().find((each) => each.includes("session_token="));
    return { status: response.status, code, cookie: session?.split(";")[0] };
  };
  return { context: await auth.$context, call, mails };
}

test.each(["SQLite", "Postgres"])(
  "on %s a change of the password that checked the old one fails if a reset finishes first",
  async (kind) => {
    const { context, call, mails } = await startAccounts(kind);
    await call("/sign-up/email", { email, password, name: "Ann" });
    const { cookie } = await call("/verify-email", { token: tokenIn(mails[0]), password });
    const { checked, release } = holdPasswordCheck(context.password);
    const change = { currentPassword: password, newPassword: "chosen by the attacker" };
    const changing = call("/change-password", change, cookie);
    await checked;
    await call("/request-password-reset", { email });
    const reset = { token: tokenIn(mails.at(-1)), newPassword: words };
    expect(await call("/reset-password", reset)).toMatchObject({ status: 200 });
    release();
    expect(await changing).toMatchObject({ status: 400, code: "INVALID_PASSWORD" });
    const { id = "" } = (await context.internalAdapter.findUserByEmail(email))?.user ?? {};
    expect(await context.internalAdapter.listSessions(id)).toEqual([]);
    const signedIn = await call("/sign-in/email", { email, password: words });
    expect(signedIn).toMatchObject({ status: 200 });
  },
);
