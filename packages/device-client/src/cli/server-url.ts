import type { ClientError } from "../client-error.js";
import { CliError, exitCodes } from "./command.js";

const usage = (message: string) => new CliError(message, exitCodes.usage);

/**
 * Parses `--url`, the address of the server. The address of its API, with the base path, works too.
 * @throws {CliError} if the address or the base path is invalid.
 */
export function readServerUrl(url: string, basePath: string): string {
  if (!/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) {
    throw usage(
      `--url: "${url}" is not an http or https address. Use one such as https://gateway.example.com`,
    );
  }
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw usage("--url has a user name or a password. Remove it, and pass a token.");
  if (!/^(\/|$)/.test(basePath))
    throw usage(`--base-path: "${basePath}" does not begin with "/". Use one such as /api/v1`);
  const address = url.replace(/\/+$/, "");
  return address.endsWith(basePath) ? address.slice(0, address.length - basePath.length) : address;
}

/** Returns the message of a failed call. Without a response, it also says what to check. */
export const describeError = ({ code, message }: Pick<ClientError, "code" | "message">): string =>
  code === "network"
    ? `${message.replace(/\.$/, "")}. Check --url, and that the server is running.`
    : message;
