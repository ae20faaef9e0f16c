import { join } from "node:path";
import { demoDevice } from "./demo-context.js";
import { createDemoMemory } from "./demo-state.js";

/** Returns what a label on the demo gateway would show. Null before it has registered. */
export async function readDemoLabel(folder: string) {
  const state = await createDemoMemory(join(folder, "demo-gateway.json")).load();
  if (state?.deviceSecret === undefined) return null;
  return { deviceId: demoDevice.deviceId, claimCode: state.claimCode };
}
