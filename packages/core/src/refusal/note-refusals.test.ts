import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";

test("§7 telemetry whose body breaks off does not count as refused, but malformed telemetry does", async () => {
  const store = createMemoryStore();
  const setup = {
    serve: serveInProcess,
    openStore: async () => ({ store, dispose: async () => {} }),
  };
  const world = await openWireWorld(setup);
  onTestFinished(() => world.close());
  const { token } = await world.register();
  const post = async (body: BodyInit) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    return (await world.fetch("/api/v1/telemetry", init)).status;
  };
  const counts = async () => {
    const refusals = await store.refusals.list({ deviceId: "gw-1", from: 0 });
    return refusals.map(({ code, count }) => [code, count]);
  };
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("The connection was lost.")),
  });
  expect(await post(broken)).toBe(400);
  expect(await counts()).toEqual([]);
  expect(await post('{"voltage":')).toBe(400);
  expect(await counts()).toEqual([["malformed_json", 1]]);
});
