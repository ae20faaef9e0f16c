import { defaultRetry } from "../../retry.js";
import { systemRandom, systemSleep } from "../../system.js";
import { createUserClient, type UserClient } from "../../user/user-client.js";
import { withRetries } from "../../with-retries.js";
import type { CliContext } from "../command.js";
import { formatCount } from "../format-count.js";
import { toCliError } from "../operator-api.js";
import { readServerUrl } from "../server-url.js";

const maxConcurrent = 8;

/** A server lets an operator send 600 requests a minute, so a large fleet takes several waits. */
const retryContext = {
  retry: { ...defaultRetry, tries: 20 },
  random: systemRandom,
  sleep: systemSleep,
  onRetry: () => {},
};

/** Creates a client for the routes of an operator. @throws {CliError} if `--url` is invalid. */
export function createFleetOperator(
  { fetch }: Pick<CliContext, "fetch">,
  values: { readonly url: string; readonly "base-path": string; readonly token: string },
): UserClient {
  const basePath = values["base-path"];
  const baseUrl = readServerUrl(values.url, basePath);
  return createUserClient({ baseUrl, basePath, fetch, token: values.token });
}

/**
 * Erases devices with their data. Their ids become free. A device that does not exist counts as erased.
 * @throws {CliError} if the server rejects the token or does not respond.
 */
export async function eraseGateways(
  { print }: Pick<CliContext, "print">,
  operator: UserClient,
  deviceIds: readonly string[],
): Promise<void> {
  const waiting = deviceIds.values();
  const work = async () => {
    for (const deviceId of waiting) {
      const erase = () => operator.eraseDevice({ params: { deviceId } });
      const erased = await withRetries(retryContext, true, erase);
      if (erased.isErr() && erased.error.code !== "device_not_found")
        throw toCliError(erased.error);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
  print(`${formatCount(deviceIds.length, "gateway")} erased.`);
}
