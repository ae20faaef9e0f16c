import type { RouteError, Routes, SentRequest } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import { callRoute, type Transport } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import type { Patience } from "../retry.js";
import { retrying } from "../retrying.js";
import { toStorageError } from "../storage-error.js";
import type { CredentialStore } from "./credential-store.js";
import type { Tell } from "./device-event.js";

/** What a gateway registers with, and says of itself at each login. */
export type DeviceIdentity = Omit<SentRequest<Routes["registerDevice"]>["body"], "deviceSecret">;

export type SignInError = ClientError<
  RouteError<Routes["registerDevice"]> | RouteError<Routes["loginDevice"]> | "storage"
>;

export interface SignInContext {
  readonly transport: Transport;
  readonly patience: Patience;
  readonly identity: DeviceIdentity;
  readonly credentials: CredentialStore;
  readonly tell: Tell;
}

/** Asks the credentials' storage: that it fails is an error like others. */
const ask = <Value>(task: () => Promise<Value>) =>
  ResultAsync.fromThrowable(task, (fault) => toStorageError("The credentials' storage", fault))();

async function logIn(
  { transport, patience, identity, credentials, tell }: SignInContext,
  deviceSecret: string,
): Promise<Result<string, SignInError>> {
  const { hardwareId: _, claimCode: __, ...said } = identity;
  const body = { ...said, deviceSecret };
  const answer = await retrying(patience, true, () =>
    callRoute(transport, "loginDevice", { body }),
  );
  if (answer.isErr()) return err(answer.error);
  const { token, deviceSecret: rotated } = answer.value;
  if (rotated !== undefined) {
    // Kept before its token is used: that use is what ends the former secret (contract §1).
    const kept = await ask(() => credentials.save({ deviceSecret: rotated }));
    if (kept.isErr()) return err(kept.error);
  }
  tell({ kind: "logged_in" });
  return ok(token);
}

async function register(
  { transport, patience, identity, credentials, tell }: SignInContext,
  deviceSecret: string | undefined,
): Promise<Result<string, SignInError>> {
  const body = { ...identity, ...(deviceSecret !== undefined && { deviceSecret }) };
  const answer = await retrying(patience, true, () =>
    callRoute(transport, "registerDevice", { body }),
  );
  if (answer.isErr()) return err(answer.error);
  const { token, deviceSecret: issued } = answer.value;
  const kept = await ask(() => credentials.save({ deviceSecret: issued }));
  if (kept.isErr()) return err(kept.error);
  tell({ kind: "registered" });
  return ok(token);
}

/**
 * Logs in with the secret that is kept; without one, or where it is not taken, registers with all
 * the proof there is (contract §1). Both are safe to repeat, whatever became of the answer. Gives a token.
 */
export async function signIn(context: SignInContext): Promise<Result<string, SignInError>> {
  const loaded = await ask(() => context.credentials.load());
  if (loaded.isErr()) return err(loaded.error);
  const deviceSecret = loaded.value?.deviceSecret;
  if (deviceSecret === undefined) return register(context, undefined);
  const login = await logIn(context, deviceSecret);
  const refused = login.isErr() && login.error.code === "invalid_credentials";
  return refused ? register(context, deviceSecret) : login;
}
