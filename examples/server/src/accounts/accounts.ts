import type { Logger } from "@device-gateway/core";
import { toNodeHandler } from "better-auth/node";
import { Router } from "express";
import type { Settings } from "../settings/settings.js";
import { toStartError } from "../start-error.js";
import { type Authenticators, createAccountAuthenticators } from "./account-authenticators.js";
import { clientAddressHeader, setClientAddress } from "./client-address.js";
import { createAuth } from "./create-auth.js";
import { demoEmail } from "./demo-sign-in.js";
import { createFindAccount, type FindAccount } from "./find-account.js";
import { hasDemoAccount } from "./has-demo-account.js";
import { isLocalRequest } from "./is-local-request.js";
import { openAccountDatabase } from "./open-account-database.js";
import { refuseCrossSite } from "./refuse-cross-site.js";
import type { SendMail } from "./send-mail.js";

export interface Accounts {
  /** Answers `/api/auth`. Mount it before anything that reads bodies. */
  readonly router: Router;
  readonly authenticators: Authenticators;
  readonly findAccount: FindAccount;
  /** A token of the demo's customer, where the demo has one. */
  readonly demoToken: string | undefined;
  close(): Promise<void>;
}

export interface AccountOptions {
  readonly settings: Settings;
  readonly pepper: string;
  readonly url: string;
  readonly sendMail: SendMail;
  readonly logger: Logger;
}

/** Opens the accounts of the bundled server: who signs up here is a customer of the gateway. */
export async function openAccounts(options: AccountOptions): Promise<Accounts> {
  const { settings, pepper, sendMail, logger } = options;
  const { PUBLIC_URL, OPERATOR_EMAILS: operators = [] } = settings;
  const url = PUBLIC_URL ?? options.url;
  const urlIsPublic = PUBLIC_URL !== undefined;
  const demo = hasDemoAccount(settings);
  const database = await openAccountDatabase(settings);
  const auth = await createAuth({
    ...{ database, pepper, url, urlIsPublic, sendMail, demo, logger },
  }).catch(async (error: unknown) => {
    await database.close();
    const advice = "Repair that, or leave them out: ACCOUNTS=0 npm start";
    throw toStartError("The accounts", error, advice);
  });

  const router = Router();
  const handle = toNodeHandler(auth);
  router.use("/api/auth", refuseCrossSite);
  router.post("/api/auth/demo", (request, response, next) => {
    if (demo && isLocalRequest(request)) next();
    else response.status(404).end();
  });
  router.all("/api/auth/{*any}", (request, response, next) => {
    setClientAddress(request);
    response.setHeader("cache-control", "no-store");
    handle(request, response).catch(next);
  });

  const signInToDemo = async () => {
    const headers = { origin: url, [clientAddressHeader]: "127.0.0.1" };
    const call = new Request(`${url}/api/auth/demo`, { method: "POST", headers });
    return (await auth.handler(call)).headers.get("set-auth-token") ?? undefined;
  };
  const isOperator = (email: string) =>
    operators.includes(email.toLowerCase()) || (demo && email === demoEmail);
  const findAccount = createFindAccount(auth, isOperator);
  return {
    router,
    authenticators: createAccountAuthenticators(findAccount),
    findAccount,
    demoToken: demo ? await signInToDemo() : undefined,
    close: () => database.close(),
  };
}
