import { type BetterAuthOptions, betterAuth } from "better-auth";
import { createEmailVerificationToken } from "better-auth/api";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins/bearer";
import { twoFactor } from "better-auth/plugins/two-factor";
import { describe, expect, test } from "vitest";
import { useCheapScrypt } from "../../testing/cheap-scrypt.js";
import { holdPasswordCheck } from "../../testing/hold-password-check.js";
import { openTemporaryAccounts } from "../../testing/open-temporary-accounts.js";
import { addressProof } from "./address-proof.js";

useCheapScrypt();

const email = "ann@example.com";
const password = "correct horse battery";
const url = "http://127.0.0.1:3000";

/** Starts accounts with a second factor and a change of address. The bundled server does not offer these yet. */
async function startAccounts(kind: string) {
  const database = await openTemporaryAccounts(kind);
  const mailed = { verify: "", reset: "", moved: "" };
  const record =
    (purpose: keyof typeof mailed) =>
    async ({ token }: { token: string }) => {
      mailed[purpose] = token;
    };
  const options = {
    baseURL: url,
    secret: "s".repeat(32),
    database: database.handle,
    telemetry: { enabled: false },
    user: {
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: record("moved"),
      },
    },
    emailAndPassword: {
      enabled: true,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: record("reset"),
    },
    emailVerification: { sendOnSignUp: true },
    plugins: [
      bearer({ requireSignature: true }),
      addressProof(({ token }) => void record("verify")({ token })),
      twoFactor(),
    ],
  } satisfies BetterAuthOptions;
  await (await getMigrations(options)).runMigrations();
  const auth = betterAuth(options);
  const context = await auth.$context;
  const call = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await auth.handler(
      new Request(`${url}/api/auth${path}`, {
        method: "POST",
        headers: { origin: url, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    const [cookie = ""] = (response.headers.getSetCookie()[0] ?? "").split(";");
    const { code = "" } = JSON.parse(text || "{}") as { code?: string };
    return {
      status: response.status,
      code,
      cookie,
      bearer: response.headers.get("set-auth-token"),
    };
  };
  const signUp = () =>
    call("/sign-up/email", { email, password, name: "Mallory", image: "https://evil.test/" });
  const reset = async (newPassword: string) => {
    await call("/request-password-reset", { email });
    return call("/reset-password", { token: mailed.reset, newPassword });
  };
  const readUser = async () => (await context.internalAdapter.findUserByEmail(email))?.user;
  return { auth, context, mailed, call, signUp, reset, readUser };
}

describe.each(["SQLite", "Postgres"])("on %s", (kind) => {
  test("an unverified account cannot change its own data, by cookie or by token", async () => {
    const { call, signUp, mailed, readUser } = await startAccounts(kind);
    const session = await signUp();
    const before = await readUser();
    const changes: readonly (readonly [string, object])[] = [
      ["/two-factor/enable", { password }],
      ["/change-email", { newEmail: "mallory@example.com" }],
      ["/change-password", { currentPassword: password, newPassword: "another long password" }],
      ["/update-user", { name: "Eve" }],
      ["/link-social", { provider: "github" }],
    ];
    const proofs = [{ cookie: session.cookie }, { authorization: `Bearer ${session.bearer}` }];
    for (const [path, body] of changes) {
      for (const proof of proofs) {
        expect([path, await call(path, body, proof)]).toMatchObject([
          path,
          { status: 403, code: "EMAIL_NOT_VERIFIED" },
        ]);
      }
    }
    expect(await readUser()).toEqual(before);
    expect(mailed.moved).toBe("");
    // After verification the account can be changed.
    const verified = await call("/verify-email", { token: mailed.verify, password });
    const renamed = await call("/update-user", { name: "Ann" }, { cookie: verified.cookie });
    expect([renamed.status, (await readUser())?.name]).toEqual([200, "Ann"]);
  });

  test("the first password reset verifies the address and removes everything set before; a later reset removes only sessions", async () => {
    const { call, context, mailed, signUp, reset, readUser } = await startAccounts(kind);
    await signUp();
    const { id: userId = "" } = (await readUser()) ?? {};
    // An older version may have allowed this state.
    const { adapter, internalAdapter } = context;
    await internalAdapter.updateUser(userId, { twoFactorEnabled: true });
    await adapter.create({ model: "twoFactor", data: { userId, secret: "s", backupCodes: "b" } });
    const linked = { userId, providerId: "github", accountId: "mallory" };
    await internalAdapter.createAccount(linked);
    const expiresAt = new Date(Date.now() + 60_000);
    await internalAdapter.createVerificationValue({
      identifier: "change",
      value: userId,
      expiresAt,
    });

    expect(await reset("the owner's own words")).toMatchObject({ status: 200 });
    expect(await readUser()).toMatchObject({
      ...{ id: userId, email, name: email, image: null },
      ...{ emailVerified: true, twoFactorEnabled: false },
    });
    const ofUser = [{ field: "userId", value: userId }];
    expect(await adapter.findMany({ model: "session", where: ofUser })).toEqual([]);
    expect(await adapter.findMany({ model: "twoFactor", where: ofUser })).toEqual([]);
    expect(await adapter.findMany({ model: "account", where: ofUser })).toMatchObject([
      { providerId: "credential" },
    ]);
    expect(await adapter.findMany({ model: "verification" })).toEqual([]);
    // The earlier mailed link no longer works.
    const late = await call("/verify-email", { token: mailed.verify, password });
    expect(late).toMatchObject({ status: 400, code: "INVALID_TOKEN" });

    const signedIn = await call("/sign-in/email", { email, password: "the owner's own words" });
    await call("/update-user", { name: "Ann" }, { cookie: signedIn.cookie });
    await adapter.create({ model: "twoFactor", data: { userId, secret: "s", backupCodes: "b" } });
    expect(await reset("the owner's next words")).toMatchObject({ status: 200 });
    expect((await readUser())?.name).toBe("Ann");
    expect(await adapter.findMany({ model: "twoFactor", where: ofUser })).toHaveLength(1);
    expect(await adapter.findMany({ model: "session", where: ofUser })).toEqual([]);
  });

  test("a sign-in that checked the old password gets no session if a reset finishes first", async () => {
    const { call, context, signUp, reset, readUser } = await startAccounts(kind);
    await signUp();
    // The first check is the attacker's. It succeeds, and its result waits until the reset is over.
    const { checked, release } = holdPasswordCheck(context.password);
    const signingIn = call("/sign-in/email", { email, password });
    await checked;
    expect(await reset("the owner's own words")).toMatchObject({ status: 200 });
    release();
    expect(await signingIn).toMatchObject({ status: 401 });
    const { id = "" } = (await readUser()) ?? {};
    expect(await context.internalAdapter.listSessions(id)).toEqual([]);
  });

  test("turning the second factor off with the old password leaves no session if a reset finishes first", async () => {
    const { call, context, mailed, signUp, reset, readUser } = await startAccounts(kind);
    await signUp();
    const { cookie } = await call("/verify-email", { token: mailed.verify, password });
    const { checked, release } = holdPasswordCheck(context.password);
    const turningOff = call("/two-factor/disable", { password }, { cookie });
    await checked;
    expect(await reset("the owner's own words")).toMatchObject({ status: 200 });
    release();
    // The factor is off, which the owner hears of.
    expect(await turningOff).toMatchObject({ status: 200 });
    const { id = "" } = (await readUser()) ?? {};
    expect(await context.internalAdapter.listSessions(id)).toEqual([]);
  });

  test("if one link is used twice at the same time, one request verifies the address and the other fails", async () => {
    const { call, mailed, signUp } = await startAccounts(kind);
    await signUp();
    const verify = () => call("/verify-email", { token: mailed.verify, password });
    const statuses = (await Promise.all([verify(), verify()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
  });
});

test("an expired or forged token, or one for another purpose, does not verify an address", async () => {
  const { call, context, mailed, signUp, readUser } = await startAccounts("SQLite");
  await signUp();
  const { id: value = "" } = (await readUser()) ?? {};
  const expiresAt = new Date(Date.now() - 1);
  await context.internalAdapter.createVerificationValue({
    ...{ identifier: "verify-email:old", value, expiresAt },
  });
  await call("/request-password-reset", { email });
  const signed = await createEmailVerificationToken(context.secret, email);
  const moved = await createEmailVerificationToken(context.secret, email, "mallory@example.com");
  const tokens = { old: "TOKEN_EXPIRED" } as Record<string, string>;
  for (const token of ["", "x", mailed.reset, signed, moved]) tokens[token] = "INVALID_TOKEN";
  for (const [token, code] of Object.entries(tokens)) {
    const response = await call("/verify-email", { token, password });
    expect([token, response]).toMatchObject([token, { status: 400, code, cookie: "" }]);
  }
  const reset = { token: mailed.verify, newPassword: "another long password" };
  expect(await call("/reset-password", reset)).toMatchObject({ status: 400 });
  expect(await readUser()).toMatchObject({ email, emailVerified: false });
});

test("nobody can sign up with an address that ends in .invalid, such as the demo's", async () => {
  const { call } = await startAccounts("SQLite");
  for (const address of ["demo@device-gateway.invalid", "Demo@Device-Gateway.INVALID"]) {
    const response = await call("/sign-up/email", { email: address, password, name: "Mallory" });
    expect(response).toMatchObject({ status: 400, code: "INVALID_EMAIL" });
  }
});
