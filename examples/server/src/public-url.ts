import { isLoopback } from "./accounts/is-local-request.js";
import { isEverywhere } from "./listen.js";
import type { Settings } from "./settings/settings.js";

type Facts = Pick<Settings, "HOST" | "PUBLIC_URL">;

/** Where devices reach the server that this machine reaches at `url`; undefined: nobody knows. */
export const publicUrlOf = ({ HOST, PUBLIC_URL }: Facts, url: string): string | undefined =>
  PUBLIC_URL ?? (isEverywhere(HOST) ? undefined : url);

/** What whoever lets other machines in is told, as long as the server has no name for them. */
export function publicUrlWarning({ HOST, PUBLIC_URL }: Facts, url: string): string | undefined {
  if (PUBLIC_URL !== undefined || isLoopback(HOST)) return undefined;
  const consequence = isEverywhere(HOST)
    ? `no firmware is offered, and links in mails lead to ${url}. Set the origin`
    : `devices and mails are told ${url}. If they reach it elsewhere, set the origin`;
  return `PUBLIC_URL is not set: ${consequence}: PUBLIC_URL=https://gateway.example.com`;
}
