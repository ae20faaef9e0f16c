import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import { expect, test } from "vitest";
import type { GatewayStore } from "../ports/gateway-store.js";

const lagMs = 5_000;
const paths = ["history", "export?format=ndjson"].map(
  (name) => `/api/v1/dashboard/devices/gw-1/telemetry/${name}`,
);

/** Opens a gateway whose storage has a copy, and sends a record that the copy lacks. */
async function open(isFit: boolean) {
  const [store, copy] = [createMemoryStore(), createMemoryStore()];
  const openReads = async () => (isFit ? { ...copy, lagMs } : { ...store, lagMs: null });
  const withCopy: GatewayStore = { ...store, openReads };
  const world = await openWireWorld({
    serve: serveInProcess,
    openStore: async () => ({ store: withCopy, dispose: () => store.close() }),
  });
  const { token } = await world.register();
  const owner = await world.signIn("alice");
  await world.call("claimDevice", {
    token: owner,
    body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" },
  });
  await world.call("sendTelemetry", { token, body: { soc: 7 } });
  world.clock.advance(1_000);
  const read = async (path: string, as = owner) => {
    const response = await world.fetch(path, { headers: { authorization: `Bearer ${as}` } });
    return {
      status: response.status,
      asOf: response.headers.get("data-as-of"),
      hasRecord: /"soc":7/.test(await response.text()),
    };
  };
  return { world, read };
}

test("§7 answers from a copy of the storage say how old their data may be", async () => {
  const { world, read } = await open(true);
  const asOf = new Date(world.clock.now() - lagMs).toISOString();
  for (const path of paths) {
    expect(await read(path)).toEqual({ status: 200, asOf, hasRecord: false });
    // Who may see a device is never read from the copy.
    const stranger = await world.signIn("mallory");
    expect((await read(path, stranger)).status).toBe(404);
  }
  await world.close();
});

test("§7 responses from the primary storage have no data-as-of header", async () => {
  const { world, read } = await open(false);
  for (const path of paths) {
    expect(await read(path)).toEqual({ status: 200, asOf: null, hasRecord: true });
  }
  await world.close();
});
