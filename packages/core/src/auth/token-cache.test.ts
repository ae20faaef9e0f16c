import { expect, test } from "vitest";
import { createDeviceTokens } from "./device-token.js";
import { generateSecrets } from "./generate-secrets.js";
import { cacheTokens } from "./token-cache.js";

const now = Date.UTC(2025, 0, 1);

test("§2 a token's signature is verified once, and its expiry each time", async () => {
  const tokens = await createDeviceTokens(generateSecrets().tokenKeys, 3600);
  let checks = 0;
  const cached = cacheTokens({
    issue: (input) => tokens.issue(input),
    verify: (token, at) => {
      checks++;
      return tokens.verify(token, at);
    },
  });
  const own = await cached.issue({ deviceId: "gw-2", epoch: 3, now });
  const { expiresAt } = own;
  expect(await cached.verify(own.token, now)).toEqual({ deviceId: "gw-2", epoch: 3, expiresAt });
  expect(checks).toBe(0);
  const { token } = await tokens.issue({ deviceId: "gw-1", epoch: 1, now });
  for (let i = 0; i < 5; i++) {
    expect(await cached.verify(token, now + i)).toEqual({ deviceId: "gw-1", epoch: 1, expiresAt });
  }
  expect(checks).toBe(1);
  expect(await cached.verify(token, expiresAt)).toBeNull();
  expect(await cached.verify(token, expiresAt)).toBeNull();
});

test("an invalid token is not cached, and a token that differs in one character is not the cached one", async () => {
  const cached = cacheTokens(await createDeviceTokens(generateSecrets().tokenKeys, 3600));
  const { token } = await cached.issue({ deviceId: "gw-1", epoch: 1, now });
  expect(await cached.verify(token, now)).not.toBeNull();
  expect(await cached.verify(`${token}A`, now)).toBeNull();
  expect(await cached.verify(token.slice(0, -2), now)).toBeNull();
  expect(await cached.verify(token.toUpperCase(), now)).toBeNull();
});
