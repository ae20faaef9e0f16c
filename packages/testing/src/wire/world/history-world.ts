import { expect } from "vitest";
import type { WireWorld } from "./wire-world.js";

export const params = { deviceId: "gw-1" };
export const minute = 60_000;
export const hour = 60 * minute;

/** Claims a device that sent records. Returns functions that read its history as the owner. */
export async function prepareHistory(world: WireWorld, records: readonly object[]) {
  const { token } = await world.register();
  const owner = await world.signIn("alice");
  const claim = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
  await world.call("claimDevice", { token: owner, body: claim });
  for (let i = 0; i < records.length; i += 500) {
    const { body } = await world.call("sendTelemetry", { token, body: records.slice(i, i + 500) });
    expect(body.rejected).toEqual([]);
    world.clock.advance(0);
  }
  const read = async (query: Record<string, string>) =>
    world.call("readTelemetryHistory", { token: owner, params, query });
  const exported = async (query: Record<string, string>) =>
    world.call("exportTelemetry", { token: owner, params, query });
  return { token, owner, read, exported };
}
export const iso = (at: number) => new Date(at).toISOString();
