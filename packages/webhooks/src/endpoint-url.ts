import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.js";

/** The most characters of a URL. */
const maxLength = 2_000;

/** Returns the host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses an endpoint's URL. Returns what is wrong with it as a sentence. */
export function parseEndpointUrl(text: string, allowIntranet: boolean): URL | string {
  const url = URL.canParse(text) && text.length <= maxLength ? new URL(text) : undefined;
  if (url === undefined) return `Send a URL of at most ${maxLength} characters.`;
  const schemes = allowIntranet ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) return "Send a URL that begins with https://.";
  // Node decodes the credentials of each request.
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    return "Send a URL whose user and password are percent-encoded correctly.";
  }
  // Names are checked when they are resolved.
  const host = hostOf(url);
  if (!allowIntranet && isIP(host) !== 0 && !isPublicAddress(host)) {
    return "Send a URL with a public address.";
  }
  return url;
}

/**
 * The most characters of a part of a path that does not count as a secret. Receivers such as Slack put a secret into
 * the path.
 */
const maxPlainPart = 15;

/** Returns a URL for people and logs, without credentials, query and long parts of its path. */
export function labelOf({ origin, pathname, search }: URL): string {
  const parts = pathname.split("/").map((part) => (part.length > maxPlainPart ? "…" : part));
  return `${origin}${parts.join("/")}${search === "" ? "" : "?…"}`;
}
