import { expect, test } from "vitest";
import { generateSecrets } from "../auth/secrets.js";
import { createGateway } from "../gateway.js";
import { toFetchHandler } from "../http/fetch-handler.js";
import { registered, sampleOwned } from "../testing/conformance/samples.js";
import { createMemoryStore } from "../testing/memory-store.js";

test("§7 a user has five exports at a time, however they end", async () => {
  const store = createMemoryStore();
  await registered(store, "gw-1", sampleOwned("alice"));
  const gateway = await createGateway({
    ...{ store, secrets: generateSecrets() },
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
  });
  const open = () => {
    const url = "http://gateway.test/api/v1/dashboard/devices/gw-1/telemetry/export?format=ndjson";
    const headers = { authorization: "Bearer alice" };
    return toFetchHandler(gateway)(new Request(url, { headers }), null);
  };
  const [first, second] = [await open(), await open()];
  for (let n = 0; n < 3; n++) expect((await open()).status).toBe(200);
  const refused = await open();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  await first.body?.cancel();
  expect((await open()).status).toBe(200);
  expect(await second.text()).toBe("");
  expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});
