import type { ClientError } from "../../client-error.js";
import { defaultRetry, type Sleep } from "../../retry.js";
import { systemRandom, systemSleep } from "../../system.js";
import { createUserClient, type UserClient } from "../../user/user-client.js";
import { withRetries } from "../../with-retries.js";
import type { CliContext } from "../command.js";
import { formatCount } from "../format-count.js";
import { toCliError } from "../operator-api.js";
import { describeError, readServerUrl } from "../server-url.js";

const maxConcurrent = 8;

/** A server lets an operator send 600 requests a minute, so a large fleet takes several waits. */
const retry = { ...defaultRetry, tries: 20 };

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
 * Erases devices with their data. Their ids become free. A device that does not exist counts as erased. The first retry
 * is logged.
 * @throws {CliError} if the server rejects the token or does not respond.
 */
export async function eraseGateways(
  { print, log }: Pick<CliContext, "print" | "log">,
  operator: Pick<UserClient, "eraseDevice">,
  deviceIds: readonly string[],
  sleep: Sleep = systemSleep,
): Promise<void> {
  const waiting = deviceIds.values();
  let isLogged = false;
  let hasFailed = false;
  const onRetry = (error: ClientError) => {
    if (!isLogged) log(`The gateways cannot be erased yet: ${describeError(error)} Trying again.`);
    isLogged = true;
  };
  const retryContext = { retry, random: systemRandom, sleep, onRetry };
  const work = async () => {
    for (const deviceId of waiting) {
      if (hasFailed) return;
      const erase = () => operator.eraseDevice({ params: { deviceId } });
      const erased = await withRetries(retryContext, true, erase);
      if (erased.isOk() || erased.error.code === "device_not_found") continue;
      hasFailed = true;
      throw toCliError(erased.error);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
  print(`${formatCount(deviceIds.length, "gateway")} erased.`);
}
