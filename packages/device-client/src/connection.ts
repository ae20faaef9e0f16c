import type { Fetch, Transport } from "./call-route.js";

/** Where a gateway is, and how it is reached. */
export interface ConnectionOptions {
  /** Where the gateway is mounted, such as `https://gateway.example.com`; in a page also a path. */
  readonly baseUrl: string;
  /** Default: `/api/v1`. */
  readonly basePath?: string;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** Longest wait for an answer, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Below a page's own origin a path will do, and an empty one is its root. */
const isAddress = (url: unknown) =>
  typeof url === "string" && /^(https?:\/\/[^/\s]|\/|$)/.test(url);

/** @throws {TypeError} when the address is none. */
export function toTransport(
  { baseUrl, basePath = "/api/v1", timeoutMs = 30_000, ...options }: ConnectionOptions,
  now: () => number = Date.now,
): Transport {
  if (!isAddress(baseUrl)) {
    throw new TypeError(
      `baseUrl: "${baseUrl}" is no http or https address. Give one such as https://gateway.example.com`,
    );
  }
  return {
    // Called as a plain function: browsers want no other `this`.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    apiUrl: baseUrl.replace(/\/+$/, "") + basePath,
    timeoutMs,
    now,
  };
}
