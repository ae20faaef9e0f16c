import type { Gateway, GatewayStore, Logger } from "@device-gateway/core";
import { Router } from "express";
import { bodyTimeLimits } from "../http/limit-body-time.js";
import { sendProblem } from "../http/send-problem.js";
import type { Settings } from "../settings/settings.js";
import { toStartError } from "../start-error.js";
import { type Authenticators, createAccountAuthenticators } from "./account-authenticators.js";
import { createAuthListener } from "./auth-listener.js";
import { clientAddressHeader } from "./client-address.js";
import { createAuth } from "./create-auth.js";
import { openAccountDatabase } from "./database/open-account-database.js";
import type { DemoAccess } from "./demo/demo-access.js";
import { demoEmail } from "./demo/demo-sign-in.js";
import { createFindAccount, type FindAccount } from "./find-account.js";
import { createFindPeople, type FindPeople } from "./find-people.js";
import { createLateRelease } from "./late-release.js";
import type { SendMail } from "./mail/send-mail.js";
import type { TrackedMails } from "./mail/track-mails.js";
import { createPasswordQueue } from "./password/password-queue.js";
import { refuseCrossSite } from "./refuse-cross-site.js";
import { methodsByPath, refuseOtherMethods } from "./refuse-other-methods.js";
import { releaseAllDevices } from "./release-all-devices.js";
import { removeAlertRules } from "./remove-alert-rules.js";
import { removeWebhooks } from "./remove-webhooks.js";
import { servedPaths } from "./served-paths.js";
import { removeExpiredSessions } from "./session/remove-expired-sessions.js";

const notServed = {
  status: 404,
  code: "not_found",
  detail: "The accounts have no such path. Check its spelling.",
};

export interface Accounts {
  /** Serves `/api/auth`. Mount it before any handler that reads bodies. */
  readonly router: Router;
  readonly authenticators: Authenticators;
  readonly findAccount: FindAccount;
  readonly findPeople: FindPeople;
  /** Returns the address of an account, or null if it has no verified one. */
  readonly findAddress: (userId: string) => Promise<string | null>;
  /** A session token of the demo customer. Undefined if the demo has no account. */
  readonly demoToken: string | undefined;
  /**
   * Connects the accounts to the gateway: for notices about devices, and to delete what belongs to a deleted account and
   * release its devices.
   */
  connect(gateway: Pick<Gateway, "on" | "as">, store: Pick<GatewayStore, "webhooks">): void;
  /** Deletes expired sessions, until none is left or the signal aborts, and old counts of rate limits. */
  removeExpired(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface AccountOptions {
  readonly settings: Settings;
  readonly pepper: string;
  readonly url: string;
  readonly sendMail: SendMail;
  /** Makes a stop wait for notices that are not sent yet. */
  readonly track: TrackedMails["track"];
  /** Checks who may sign in as the demo customer. Undefined if the demo has no account. */
  readonly demo: DemoAccess | undefined;
  readonly logger: Logger;
}

/**
 * Returns the longest time from a claim's look-up of its user to its response, in milliseconds: the time limit of a
 * response runs before the body is read, and again after it.
 */
const toClaimMs = ({ DG_LIMIT_ANSWER_SECONDS: seconds }: Settings) =>
  bodyTimeLimits.bodyMs + 2_000 * seconds;

/**
 * Opens the accounts of the bundled server. Every user who signs up is a customer of the gateway.
 * @throws {StartError} if their database cannot be used.
 */
export async function openAccounts(options: AccountOptions): Promise<Accounts> {
  const { settings, pepper, sendMail, track, demo, logger } = options;
  const { PUBLIC_URL, OPERATOR_EMAILS: operators = [] } = settings;
  const url = PUBLIC_URL ?? options.url;
  const urlIsPublic = PUBLIC_URL !== undefined;
  const { DATA_DIR, DATABASE_URL } = settings;
  const what = DATABASE_URL === undefined ? `accounts.db in ${DATA_DIR}` : "The accounts";
  const advice = "Fix that, or start without accounts: ACCOUNTS=0 npm start";
  const database = await openAccountDatabase(settings).catch((error: unknown) => {
    throw toStartError(what, error, advice);
  });
  const queue = createPasswordQueue();
  let connected: Parameters<Accounts["connect"]> | undefined;
  /** Accounts that are being deleted. Their devices' releases are not news to their owners. */
  const leaving = new Set<string>();
  const releaseNow = async (userId: string) => {
    if (connected === undefined) throw new Error("The gateway is not ready. Try again.");
    const [gateway, store] = connected;
    leaving.add(userId);
    try {
      await removeWebhooks(store, userId);
      await removeAlertRules(gateway, userId);
      await releaseAllDevices(gateway, userId);
    } finally {
      leaving.delete(userId);
    }
  };
  const lateRelease = createLateRelease({
    async release(userId) {
      const { internalAdapter } = await auth.$context;
      // The deletion may have failed.
      if ((await internalAdapter.findUserById(userId)) === null) await releaseNow(userId);
    },
    claimMs: toClaimMs(settings),
    logger,
  });
  const releaseDevices = (userId: string) => {
    lateRelease.schedule(userId);
    return releaseNow(userId);
  };
  const auth = await createAuth({
    ...{ database, pepper, url, urlIsPublic, sendMail, demo, logger, releaseDevices, queue },
  }).catch(async (error: unknown) => {
    await database.close();
    throw toStartError(what, error, advice);
  });

  const router = Router();
  router.use("/api/auth", refuseCrossSite);
  const methods = methodsByPath(auth.api);
  const listener = createAuthListener(auth, queue, url);
  for (const path of servedPaths) {
    const allowed = methods.get(path);
    if (allowed) router.all(`/api/auth${path}`, refuseOtherMethods(allowed), listener);
  }
  router.all("/api/auth/{*any}", (request, response) => sendProblem(request, response, notServed));

  const signInToDemo = async ({ token }: DemoAccess) => {
    const call = new Request(`${url}/api/auth/demo`, {
      method: "POST",
      headers: {
        ...{ origin: url, host: "127.0.0.1", [clientAddressHeader]: "127.0.0.1" },
        "content-type": "application/json",
      },
      body: JSON.stringify({ token }),
    });
    return (await auth.handler(call)).headers.get("set-auth-token") ?? undefined;
  };
  const isOperator = (email: string) =>
    operators.includes(email.toLowerCase()) || (demo !== undefined && email === demoEmail);
  // The demo's account is an operator on this machine only and has no password.
  const needsFactor = (email: string) =>
    settings.OPERATORS_NEED_SECOND_FACTOR && email !== demoEmail;
  const findAccount = createFindAccount(auth, isOperator, needsFactor);
  return {
    router,
    authenticators: createAccountAuthenticators(findAccount),
    findAccount,
    findPeople: createFindPeople(auth),
    async findAddress(userId) {
      const { internalAdapter } = await auth.$context;
      const user = await internalAdapter.findUserById(userId);
      return user?.emailVerified === true ? user.email : null;
    },
    demoToken: demo && (await signInToDemo(demo)),
    connect(...given) {
      connected = given;
      const [gateway] = given;
      const tell = (did: string) => (event: { actor: string; deviceId: string }) =>
        leaving.has(event.actor)
          ? undefined
          : track(auth.tellOfDevice(event.actor, `${event.deviceId} was ${did}.`));
      gateway.on("device.claimed", tell("claimed"));
      gateway.on("device.released", tell("released"));
    },
    async removeExpired(signal) {
      await removeExpiredSessions(await auth.$context, signal);
      await auth.removeOldRequestCounts();
    },
    async close() {
      lateRelease.stop();
      await database.close();
    },
  };
}
