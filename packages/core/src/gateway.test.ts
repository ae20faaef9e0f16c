import { expect, test } from "vitest";
import { generateSecrets } from "./auth/secrets.js";
import { createGateway } from "./gateway.js";
import type { GatewayOptions } from "./gateway-options.js";
import { createMemoryStore } from "./testing/memory-store.js";

const options = { store: createMemoryStore(), secrets: generateSecrets() };

test("options that make no sense are refused, with a message that names them", async () => {
  const secrets = options.secrets;
  const bad = {
    secrets: { ...options, secrets: { ...secrets, pepper: "short" } },
    limits: { ...options, limits: { bodyBytes: 0 } },
    telemetryPerMinute: { ...options, limits: { telemetryPerMinute: 1.5 } },
    unknownLimit: { ...options, limits: { unknownLimit: 1 } },
    basePaths: { ...options, basePaths: ["api/"] },
    tokenKeys: { ...options, secrets: { ...secrets, tokenKeys: [] } },
  };
  for (const [name, wrong] of Object.entries(bad)) {
    const message = await createGateway(wrong as GatewayOptions).then(
      () => "built",
      (error: Error) => error.message,
    );
    expect(message).toContain(name);
  }
  await expect(createGateway({ ...options, basePaths: [] })).rejects.toThrow("basePaths");
});

test("generated secrets differ and are long enough", () => {
  const [a, b] = [generateSecrets(), generateSecrets()];
  expect(a.pepper).toMatch(/^[\w-]{43}$/);
  expect(a.pepper).not.toBe(b.pepper);
  expect(a.tokenKeys[0]?.jwk["k"]).not.toBe(b.tokenKeys[0]?.jwk["k"]);
});
