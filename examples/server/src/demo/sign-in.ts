import { randomClaimCode } from "../terminal/claim-code.js";
import { type Call, callWithRetry, type Reply } from "./call-with-retry.js";
import { type DemoContext, demoDevice } from "./demo-context.js";
import { DemoError } from "./demo-event.js";
import { type DemoState, remember } from "./demo-state.js";

/** How often a locked-out gateway tries again. A re-enrolment window may have opened. */
const retrySeconds = 15;

interface SignedIn {
  readonly how: "registered" | "logged_in";
  readonly state: DemoState;
}

/** Returns what the gateway registers with, including the running firmware version. */
async function describe({ firmware }: DemoContext) {
  const firmwareVersion = (await firmware?.running()) ?? demoDevice.firmwareVersion;
  return { ...demoDevice, firmwareVersion };
}

/** Registers for the first time, with a new random claim code. */
async function registerFirst(context: DemoContext): Promise<SignedIn> {
  const { client, memory, now } = context;
  const claimCode = randomClaimCode(context.claimCodeMinLength);
  const state = { claimCode, anchor: now(), acknowledged: 0 };
  // Saved before the request: if the response is lost, the code is the gateway's only proof.
  await memory.save(state);
  const device = await describe(context);
  const reply = await callWithRetry(context, () => client.register({ ...device, claimCode }));
  if (reply.kind === "refused") {
    // The server does not know this code, so the next start must not use it.
    await memory.forget();
    throw new DemoError(
      reply.error.code === "device_already_registered"
        ? "The database knows this gateway, but its claim code and secret are lost, so it cannot prove its identity. To start over, stop the server and delete its data folder, and with Postgres also its database. To run without the demo: DEMO=0 npm start"
        : reply.error.message,
    );
  }
  const { deviceSecret } = reply.value;
  return { how: "registered", state: await remember(memory, state, { deviceSecret }) };
}

/**
 * Registers with the claim code, and the secret if there is one. The server always accepts the secret. It accepts the
 * claim code if the gateway has no owner or its re-enrolment window is open (§1). Otherwise, this tries again until the
 * server accepts it.
 */
async function registerAgain(context: DemoContext, known: DemoState): Promise<SignedIn> {
  const { client, memory, signal, notify, wait } = context;
  const { claimCode, deviceSecret } = known;
  const proof = { claimCode, ...(deviceSecret !== undefined && { deviceSecret }) };
  const device = await describe(context);
  for (let attempt = 0; ; attempt++) {
    const reply = await callWithRetry(context, () => client.register({ ...device, ...proof }));
    if (reply.kind === "answered") {
      // The database may be a new one without the readings. Sent again, existing readings are duplicates.
      const change = { deviceSecret: reply.value.deviceSecret, acknowledged: 0 };
      return { how: "registered", state: await remember(memory, known, change) };
    }
    if (reply.error.code !== "device_already_registered") throw new DemoError(reply.error.message);
    if (attempt === 0) notify({ kind: "locked_out", retrySeconds });
    await wait(retrySeconds * 1000, signal);
  }
}

/** Logs in with the secret of an earlier run. Registers if there is none or the server rejects it. */
async function authenticate(context: DemoContext): Promise<SignedIn> {
  const { client, memory } = context;
  const known = await memory.load();
  if (known === null) return registerFirst(context);
  const { deviceSecret } = known;
  if (deviceSecret === undefined) return registerAgain(context, known);
  const { hardwareId: _, ...hints } = await describe(context);
  const reply = await callWithRetry(context, () => client.login({ ...hints, deviceSecret }));
  if (reply.kind === "answered") {
    // A login may rotate the secret. The new one is stored before its token is used, because that use promotes it.
    const { deviceSecret: newSecret = deviceSecret } = reply.value;
    const state = newSecret === deviceSecret ? known : { ...known, deviceSecret: newSecret };
    if (state !== known) await memory.save(state);
    return { how: "logged_in", state };
  }
  if (reply.error.code === "invalid_credentials") return registerAgain(context, known);
  throw new DemoError(reply.error.message);
}

async function notifySignedIn(
  { notify, isOwned }: DemoContext,
  kind: SignedIn["how"],
  { claimCode }: DemoState,
): Promise<void> {
  notify({ kind, claimCode, owned: await isOwned() });
}

/** Logs in or registers, and reports it. */
export async function signIn(context: DemoContext): Promise<DemoState> {
  const { how, state } = await authenticate(context);
  await notifySignedIn(context, how, state);
  return state;
}

/** Logs in again without reporting it. Reports only a new registration. */
export async function signInAgain(context: DemoContext): Promise<void> {
  const { how, state } = await authenticate(context);
  if (how !== "logged_in") await notifySignedIn(context, how, state);
}

/** Makes a call. If the token is no longer valid, signs in again and repeats the call. */
export async function withToken<Value>(
  context: DemoContext,
  call: () => Call<Value>,
): Promise<Reply<Value>> {
  const reply = await callWithRetry(context, call);
  if (reply.kind === "answered" || reply.error.code !== "unauthorized") return reply;
  await signInAgain(context);
  return callWithRetry(context, call);
}
