import { randomClaimCode } from "../claim-code.js";
import { type DemoContext, demoDevice } from "./demo-context.js";
import { DemoError } from "./demo-event.js";
import type { DemoState } from "./demo-state.js";
import { type Call, persist, type Reply } from "./persist.js";

async function register(context: DemoContext, known: DemoState | null): Promise<DemoState> {
  const { client, memory, now, tell } = context;
  const claimCode = known?.claimCode ?? randomClaimCode(context.claimCodeMinLength);
  const state = { claimCode, anchor: now(), acknowledged: 0 };
  // Saved first: the code is what a gateway can still prove itself with if the answer is lost.
  await memory.save(state);
  const reply = await persist(context, () => client.register({ ...demoDevice, claimCode }));
  if (reply.kind === "refused") {
    throw new DemoError(
      reply.error.code === "device_already_registered"
        ? "The database knows this gateway, but its secret is lost, so it can't log in. To start over, stop the server and delete its data folder; to go on without it: DEMO=0 npm start"
        : reply.error.message,
    );
  }
  const registered = { ...state, deviceSecret: reply.value.deviceSecret };
  await memory.save(registered);
  tell({ kind: "registered" });
  return registered;
}

const logIn = (context: DemoContext, deviceSecret: string) => {
  const { hardwareId: _, ...hints } = demoDevice;
  return persist(context, () => context.client.login({ ...hints, deviceSecret }));
};

/**
 * Logs in with the secret of an earlier run. Without one, or when the server does not take it
 * (its database was deleted), registers anew and begins from the start.
 */
export async function signIn(context: DemoContext): Promise<DemoState> {
  const known = await context.memory.load();
  if (known?.deviceSecret === undefined) return register(context, known);
  const reply = await logIn(context, known.deviceSecret);
  if (reply.kind === "answered") {
    context.tell({ kind: "logged_in" });
    return known;
  }
  if (reply.error.code === "invalid_credentials") return register(context, known);
  throw new DemoError(reply.error.message);
}

/** Repeats a call after a fresh login when its token has expired. */
export async function withToken<Value>(
  context: DemoContext,
  call: () => Call<Value>,
): Promise<Reply<Value>> {
  const reply = await persist(context, call);
  if (reply.kind === "answered" || reply.error.code !== "unauthorized") return reply;
  const { deviceSecret = "" } = (await context.memory.load()) ?? {};
  const login = await logIn(context, deviceSecret);
  return login.kind === "answered" ? persist(context, call) : login;
}
