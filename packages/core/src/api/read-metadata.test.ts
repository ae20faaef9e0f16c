import { createMemoryStore } from "@device-gateway/store-memory";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createGateway, generateSecrets } from "../index.js";
import { operator } from "./principal.js";
import { readMetadata } from "./read-metadata.js";

const Facts = z.object({ customerNumber: z.string(), installedAt: z.coerce.date().optional() });
const deviceId = "gw-1";
const params = { deviceId };

test("§8 metadata is read in code with the type of its schema, and is null before it was set", async () => {
  const metadata = { schema: Facts, indexed: ["customerNumber"] };
  const cloud = await createTestCloud({ gateway: { metadata } });
  onTestFinished(() => cloud.close());
  await cloud.addDevice({ deviceId });
  const ops = cloud.gateway.as(operator({ id: "ops" }));
  expect((await readMetadata(ops, Facts, deviceId))._unsafeUnwrap()).toBeNull();
  const missing = await readMetadata(ops, Facts, "gw-2");
  expect(missing._unsafeUnwrapErr().code).toBe("device_not_found");

  const changed: string[] = [];
  cloud.gateway.on("device.metadata_changed", ({ details }) => {
    changed.push(JSON.stringify(details));
  });
  const body = { customerNumber: "C-1", installedAt: "2026-01-31" };
  (await ops.changeDeviceMetadata({ params, body }))._unsafeUnwrap();
  const facts = (await readMetadata(ops, Facts, deviceId))._unsafeUnwrap();
  expectTypeOf(facts).toEqualTypeOf<z.output<typeof Facts> | null>();
  expect(facts?.installedAt?.getUTCDate()).toBe(31);
  expect(changed).toEqual(['{"keys":["customerNumber","installedAt"]}']);

  const stale = await readMetadata(ops, Facts.extend({ site: z.string() }), deviceId);
  expect(stale._unsafeUnwrapErr()).toMatchObject({ code: "internal", errors: [{ path: "site" }] });
});

test("the keys of the option are checked against the schema by the compiler", async () => {
  const options = { store: createMemoryStore(), secrets: generateSecrets() };
  await createGateway({ ...options, metadata: { schema: Facts, ownerReadable: ["installedAt"] } });
  // @ts-expect-error The schema has no such key.
  await createGateway({ ...options, metadata: { schema: Facts, indexed: ["customer"] } });
});
