import { ok } from "neverthrow";
import { readConfig } from "../../config/read-config.js";
import type { GatewayContext } from "../../context.js";
import type { configRoutes } from "../../contract/config.js";
import type { deviceRoutes } from "../../contract/device.js";
import type { telemetryRoutes } from "../../contract/telemetry.js";
import { loginDevice } from "../../device/login-device.js";
import { registerDevice } from "../../device/register-device.js";
import { ingestTelemetry } from "../../telemetry/ingest/ingest-telemetry.js";
import type { HandlersOf } from "../call.js";
import { matchesEtag } from "../etag.js";

type Names = keyof typeof deviceRoutes | keyof typeof telemetryRoutes | keyof typeof configRoutes;

/** Creates the handlers of the routes that devices call. */
export const createDeviceHandlers = (context: GatewayContext): HandlersOf<Names> => ({
  registerDevice: async ({ body, origin, turn }) =>
    (await registerDevice(context, body, origin, turn)).map(({ isNew, answer }) => ({
      status: isNew ? 201 : 200,
      body: answer,
    })),
  loginDevice: async ({ body, origin }) =>
    (await loginDevice(context, body, origin)).map((answer) => ({ status: 200, body: answer })),
  sendTelemetry: async ({ caller: device, body, headers, origin }) => {
    const idempotencyKey = headers["idempotency-key"];
    const { requestId } = origin;
    const input = { device, body, idempotencyKey, requestId };
    const result = await ingestTelemetry(context, input);
    return result.map((answer) => ({ status: 200, body: answer }));
  },
  readConfig: async ({ caller: device, headers }) => {
    const config = readConfig(context, device);
    const { configVersion } = config;
    // The configuration is the same while a command waits, so that devices do not apply it again. The body differs.
    const etag = device.commandsWaiting ? `"${configVersion}.commands"` : `"${configVersion}"`;
    const caching = { etag, "cache-control": "private, no-cache" };
    return matchesEtag(headers["if-none-match"], etag)
      ? ok({ status: 304, headers: caching })
      : ok({ status: 200, body: config, headers: caching });
  },
});
