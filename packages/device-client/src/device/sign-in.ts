import type { RouteError, Routes, SentRequest } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import { callRoute, type Transport } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import type { RetryContext } from "../retry.js";
import { toStorageError } from "../storage-error.js";
import { withRetries } from "../with-retries.js";
import type { CredentialStore } from "./credential-store.js";
import type { DeviceEventListener } from "./device-event.js";

/** What a device sends when it registers and, without its claim code, when it logs in. */
export type DeviceIdentity = Omit<SentRequest<Routes["registerDevice"]>["body"], "deviceSecret">;

/** Why signing in failed. */
export type SignInError = ClientError<
  RouteError<Routes["registerDevice"]> | RouteError<Routes["loginDevice"]> | "storage"
>;

export interface SignInContext {
  readonly transport: Transport;
  readonly retryContext: RetryContext;
  readonly identity: DeviceIdentity;
  readonly credentials: CredentialStore;
  readonly emit: DeviceEventListener;
}

/** Calls the credential store. A rejection becomes an error with the code `storage`. */
const useStorage = <Value>(task: () => Promise<Value>) =>
  ResultAsync.fromThrowable(task, (fault) => toStorageError("The credential store", fault))();

async function logIn(
  { transport, retryContext, identity, credentials, emit }: SignInContext,
  deviceSecret: string,
): Promise<Result<string, SignInError>> {
  const { hardwareId: _, claimCode: __, ...hints } = identity;
  const body = { ...hints, deviceSecret };
  const answer = await withRetries(retryContext, true, () =>
    callRoute(transport, "loginDevice", { body }),
  );
  if (answer.isErr()) return err(answer.error);
  const { token, deviceSecret: rotated } = answer.value;
  if (rotated !== undefined) {
    // Stored before its token is used, because that use invalidates the former secret (§1).
    const saved = await useStorage(() => credentials.save({ deviceSecret: rotated }));
    if (saved.isErr()) return err(saved.error);
  }
  emit({ kind: "logged_in" });
  return ok(token);
}

async function register(
  { transport, retryContext, identity, credentials, emit }: SignInContext,
  deviceSecret: string | undefined,
): Promise<Result<string, SignInError>> {
  const body = { ...identity, ...(deviceSecret !== undefined && { deviceSecret }) };
  const answer = await withRetries(retryContext, true, () =>
    callRoute(transport, "registerDevice", { body }),
  );
  if (answer.isErr()) return err(answer.error);
  const { token, deviceSecret: issued } = answer.value;
  const saved = await useStorage(() => credentials.save({ deviceSecret: issued }));
  if (saved.isErr()) return err(saved.error);
  emit({ kind: "registered" });
  return ok(token);
}

/**
 * Logs in with the stored secret. If there is none or the server rejects it, registers with the claim
 * code and the secret (§1). If a response is lost, both requests can be repeated, except a registration without a secret in a
 * re-enrolment window, which its first success closes. Returns a token.
 */
export async function signIn(context: SignInContext): Promise<Result<string, SignInError>> {
  const loaded = await useStorage(() => context.credentials.load());
  if (loaded.isErr()) return err(loaded.error);
  const deviceSecret = loaded.value?.deviceSecret;
  if (deviceSecret === undefined) return register(context, undefined);
  const login = await logIn(context, deviceSecret);
  const refused = login.isErr() && login.error.code === "invalid_credentials";
  return refused ? register(context, deviceSecret) : login;
}
