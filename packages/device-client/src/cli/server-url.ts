import type { ClientError } from "../client-error.js";
import { CliError, exitCodes } from "./command.js";

/**
 * Reads what stands behind `--url`: the server's address. That of its API is taken as well, since it is
 * what elsewhere is called so. @throws {CliError} when it is no address.
 */
export function readServerUrl(url: string, basePath: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new CliError(
      `--url: "${url}" is no http or https address. Give one such as https://gateway.example.com`,
      exitCodes.usage,
    );
  }
  const address = url.replace(/\/+$/, "");
  return address.endsWith(basePath) ? address.slice(0, -basePath.length) : address;
}

/** What a failed call says; without an answer also what to look at. */
export const sentenceOf = ({ code, message }: Pick<ClientError, "code" | "message">): string =>
  code === "network"
    ? `${message.replace(/\.$/, "")}. Check --url: is the server running?`
    : message;
