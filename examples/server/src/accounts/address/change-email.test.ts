import { silentLogger } from "@device-gateway/core";
import { expect, onTestFinished, test } from "vitest";
import { linkIn, password } from "../../testing/account-browser.js";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { makeTempFolder } from "../../testing/start-test-server.js";
import { clientAddressHeader } from "../client-address.js";
import { createAuth } from "../create-auth.js";
import { openAccountDatabase } from "../database/open-account-database.js";
import type { Mail } from "../mail/send-mail.js";

useCheapScrypt();

const [from, to] = ["ann@example.com", "new@example.com"];
const url = "http://127.0.0.1:3000";

/** Starts a change of address that only needs its second link. `confirm` uses it. */
async function startChange() {
  const DATA_DIR = await makeTempFolder();
  const database = await openAccountDatabase({ DATA_DIR, DATABASE_URL: undefined });
  onTestFinished(() => database.close());
  const mails: Mail[] = [];
  const auth = await createAuth({
    ...{ database, pepper: "p".repeat(32), url, urlIsPublic: true, logger: silentLogger },
    ...{ demo: undefined, releaseDevices: async () => {} },
    sendMail: async (mail) => void mails.push(mail),
  });
  const context = await auth.$context;
  const headers: Record<string, string> = {
    ...{ origin: url, "content-type": "application/json" },
    [clientAddressHeader]: "192.0.2.1",
  };
  const call = (path: string, body: object) =>
    auth.handler(
      new Request(`${url}/api/auth${path}`, {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      }),
    );
  const signedUp = await call("/sign-up/email", { email: from, name: "Ann", password });
  headers["authorization"] = `Bearer ${signedUp.headers.get("set-auth-token")}`;
  const { id = "" } = (await context.internalAdapter.findUserByEmail(from))?.user ?? {};
  await context.internalAdapter.updateUser(id, { emailVerified: true });
  const confirm = () => {
    const { hash } = new URL(linkIn(mails.at(-1)));
    return call("/confirm-email", Object.fromEntries(new URLSearchParams(hash.slice(1))));
  };
  await call("/change-email", { newEmail: to });
  expect(await (await confirm()).json()).toMatchObject({ done: false });
  return { context, confirm };
}

test("a change to an address that another account has just taken is refused", async () => {
  const { context, confirm } = await startChange();
  const { adapter } = context;
  const { updateMany } = adapter;
  adapter.updateMany = async (input) => {
    adapter.updateMany = updateMany;
    await adapter.create({ model: "user", data: { email: to, name: "Eve", emailVerified: false } });
    return updateMany(input);
  };
  const response = await confirm();
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "EMAIL_TAKEN" });
});

test("a failure of the database during a change of address is not reported as an address in use", async () => {
  const { context, confirm } = await startChange();
  context.adapter.updateMany = () => Promise.reject(new Error("no space left"));
  await expect(confirm()).rejects.toThrow("no space left");
});
