import { createGateway, type Gateway } from "@device-gateway/core";
import { onNode } from "@device-gateway/core/node";
import { createWebhookManager } from "@device-gateway/webhooks";
import type { Accounts } from "./accounts/accounts.js";
import { createCustomers } from "./customers.js";
import { readFirmwareKeys } from "./data/firmware-keys.js";
import { createDemoThrottle } from "./demo/demo-throttle.js";
import { publicUrlOf } from "./http/public-url.js";
import { findTracer } from "./log/find-tracer.js";
import type { ServerData, ServerOptions } from "./server-options.js";
import { toLimits } from "./settings/limit-variables.js";
import type { Settings } from "./settings/settings.js";

/** Creates the gateway that the settings describe. */
export async function buildGateway(
  settings: Settings,
  { logger, configByTargetHardware = {} }: ServerOptions,
  { store, secrets, artifacts, declared }: ServerData,
  accounts: Accounts | undefined,
  url: string,
): Promise<Gateway> {
  const keys = await readFirmwareKeys(settings);
  const tracer = findTracer();
  const publicUrl = publicUrlOf(settings, url);
  return createGateway({
    store,
    secrets,
    logger,
    ...onNode,
    ...(tracer && { tracer }),
    limits: toLimits(settings),
    ...(settings.DEMO && { throttle: createDemoThrottle() }),
    basePaths: ["/api/v1", "/v1"],
    ...(publicUrl !== undefined && { publicUrl }),
    firmware: { keys, artifacts },
    commands: declared.commands,
    config: { byTargetHardware: configByTargetHardware },
    allowLegacyRegistration: settings.REGISTER_WITHOUT_CLAIM_CODE,
    ...createCustomers(settings, accounts?.authenticators, logger),
    requireVerifiedEmail: settings.REQUIRE_VERIFIED_EMAIL,
    freshCodeAfterRelease: settings.FRESH_CODE_AFTER_RELEASE,
    randomClaimCodes: settings.RANDOM_CLAIM_CODES,
    productionAddresses: settings.PRODUCTION_ADDRESSES ?? [],
    ...(settings.ROTATE_SECRET_AFTER_SECONDS !== undefined && {
      rotateSecretAfterSeconds: settings.ROTATE_SECRET_AFTER_SECONDS,
    }),
    summaryMetrics: settings.SUMMARY_METRICS ?? [],
    ...(settings.WEBHOOKS && {
      webhooks: createWebhookManager(store, {
        ...{ secrets, allowIntranet: settings.WEBHOOKS_INTRANET },
        forOwners: settings.WEBHOOKS_OF_OWNERS,
      }),
    }),
  });
}
