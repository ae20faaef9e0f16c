import type { Settings } from "../settings/settings.js";
import { isLoopback } from "./is-local-request.js";
import { isWildcard } from "./listen.js";

type UrlSettings = Pick<Settings, "HOST" | "PUBLIC_URL">;

/** Returns the URL at which devices reach the server. `url` is where this machine reaches it. Undefined if unknown. */
export const publicUrlOf = ({ HOST, PUBLIC_URL }: UrlSettings, url: string): string | undefined =>
  PUBLIC_URL ?? (isWildcard(HOST) ? undefined : url);

/** Returns a warning if other machines can reach the server and PUBLIC_URL is not set. */
export function publicUrlWarning(
  { HOST, PUBLIC_URL }: UrlSettings,
  url: string,
): string | undefined {
  if (PUBLIC_URL !== undefined || isLoopback(HOST)) return undefined;
  const consequence = isWildcard(HOST)
    ? `no firmware is offered, and links in mails point to ${url}. Set the origin`
    : `devices and mails get ${url}. If devices reach the server at another URL, set the origin`;
  return `PUBLIC_URL is not set, so ${consequence}: PUBLIC_URL=https://gateway.example.com`;
}
