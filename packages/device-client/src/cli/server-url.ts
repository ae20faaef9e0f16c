import type { ClientError } from "../client-error.js";
import { CliError, exitCodes } from "./command.js";

/**
 * Parses `--url`, the address of the server. The address of its API, with the base path, works too.
 * @throws {CliError} if the address is invalid.
 */
export function readServerUrl(url: string, basePath: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new CliError(
      `--url: "${url}" is not an http or https address. Use one such as https://gateway.example.com`,
      exitCodes.usage,
    );
  }
  const address = url.replace(/\/+$/, "");
  return address.endsWith(basePath) ? address.slice(0, -basePath.length) : address;
}

/** Returns the message of a failed call. Without a response, it also says what to check. */
export const describeError = ({ code, message }: Pick<ClientError, "code" | "message">): string =>
  code === "network"
    ? `${message.replace(/\.$/, "")}. Check --url, and that the server is running.`
    : message;
