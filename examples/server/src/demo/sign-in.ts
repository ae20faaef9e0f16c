import { randomClaimCode } from "../claim-code.js";
import { type DemoContext, demoDevice } from "./demo-context.js";
import { DemoError } from "./demo-event.js";
import { type DemoState, remember } from "./demo-state.js";
import { type Call, persist, type Reply } from "./persist.js";

/** How often a gateway that is locked out tries again: somebody may have let it in. */
const retrySeconds = 15;

interface SignedIn {
  readonly how: "registered" | "logged_in";
  readonly state: DemoState;
}

/** What it says of itself, and the firmware that runs now. */
async function describe({ firmware }: DemoContext) {
  const firmwareVersion = (await firmware?.running()) ?? demoDevice.firmwareVersion;
  return { ...demoDevice, firmwareVersion };
}

/** A first registration, with a claim code of its own. */
async function registerFirst(context: DemoContext): Promise<SignedIn> {
  const { client, memory, now } = context;
  const claimCode = randomClaimCode(context.claimCodeMinLength);
  const state = { claimCode, anchor: now(), acknowledged: 0 };
  // Saved first: the code is what a gateway can still prove itself with if the answer is lost.
  await memory.save(state);
  const device = await describe(context);
  const reply = await persist(context, () => client.register({ ...device, claimCode }));
  if (reply.kind === "refused") {
    // The code opens nothing: the next start shall not take it for the right one.
    await memory.forget();
    throw new DemoError(
      reply.error.code === "device_already_registered"
        ? "The database knows this gateway, but its claim code and secret are lost, so it can't prove itself. To start over, stop the server and delete its data folder; to go on without it: DEMO=0 npm start"
        : reply.error.message,
    );
  }
  const { deviceSecret } = reply.value;
  return { how: "registered", state: await remember(memory, state, { deviceSecret }) };
}

/**
 * Registers with all the proof that is left: the server takes the secret always, the claim code
 * while the gateway is not owned or inside a re-enrolment window (contract §1). Else tries until
 * it is let in.
 */
async function registerAgain(context: DemoContext, known: DemoState): Promise<SignedIn> {
  const { client, memory, signal, tell, wait } = context;
  const { claimCode, deviceSecret } = known;
  const proof = { claimCode, ...(deviceSecret !== undefined && { deviceSecret }) };
  const device = await describe(context);
  for (let tries = 0; ; tries++) {
    const reply = await persist(context, () => client.register({ ...device, ...proof }));
    if (reply.kind === "answered") {
      // The database may be another one, without the readings: what is still there is a duplicate.
      const change = { deviceSecret: reply.value.deviceSecret, acknowledged: 0 };
      return { how: "registered", state: await remember(memory, known, change) };
    }
    if (reply.error.code !== "device_already_registered") throw new DemoError(reply.error.message);
    if (tries === 0) tell({ kind: "locked_out", retrySeconds });
    await wait(retrySeconds * 1000, signal);
  }
}

/** Logs in with the secret of an earlier run; where it is not taken, registers. */
async function authenticate(context: DemoContext): Promise<SignedIn> {
  const { client, memory } = context;
  const known = await memory.load();
  if (known === null) return registerFirst(context);
  const { deviceSecret } = known;
  if (deviceSecret === undefined) return registerAgain(context, known);
  const { hardwareId: _, ...hints } = await describe(context);
  const reply = await persist(context, () => client.login({ ...hints, deviceSecret }));
  if (reply.kind === "answered") {
    // A new one, when it was time for it: kept before its token is used, which makes it the one.
    const { deviceSecret: fresh = deviceSecret } = reply.value;
    const state = fresh === deviceSecret ? known : { ...known, deviceSecret: fresh };
    if (state !== known) await memory.save(state);
    return { how: "logged_in", state };
  }
  if (reply.error.code === "invalid_credentials") return registerAgain(context, known);
  throw new DemoError(reply.error.message);
}

async function tellOf(
  { tell, isOwned }: DemoContext,
  kind: SignedIn["how"],
  { claimCode }: DemoState,
): Promise<void> {
  tell({ kind, claimCode, owned: await isOwned() });
}

/** Logs in, or registers: new at the first start, again where the secret is not taken. */
export async function signIn(context: DemoContext): Promise<DemoState> {
  const { how, state } = await authenticate(context);
  await tellOf(context, how, state);
  return state;
}

/** Signs in where it was before: that a token is a new one is no news. */
export async function signInAgain(context: DemoContext): Promise<void> {
  const { how, state } = await authenticate(context);
  if (how !== "logged_in") await tellOf(context, how, state);
}

/** Repeats a call after it has signed in again, when its token is no longer good. */
export async function withToken<Value>(
  context: DemoContext,
  call: () => Call<Value>,
): Promise<Reply<Value>> {
  const reply = await persist(context, call);
  if (reply.kind === "answered" || reply.error.code !== "unauthorized") return reply;
  await signInAgain(context);
  return persist(context, call);
}
