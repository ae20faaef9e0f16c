import { expect } from "vitest";
import { sampleRegistration, type WireWorld } from "./wire-world.js";

const { deviceId, claimCode } = sampleRegistration();

/** Claims the sample device for a user. Returns the user's token. */
export async function claimFor({ call, signIn }: WireWorld, name: string): Promise<string> {
  const token = await signIn(name);
  expect((await call("claimDevice", { token, body: { deviceId, claimCode } })).status).toBe(200);
  return token;
}

/** Releases the sample device. */
export const release = ({ call }: WireWorld, token: string) =>
  call("releaseDevice", { token, params: { deviceId } });

/** Returns the ids of the devices that a user sees. */
export async function listIds({ call }: WireWorld, token: string): Promise<string[]> {
  const { body } = await call("listDevices", { token });
  return body.devices.map(({ id }: { id: string }) => id);
}
