import type { Fetch, Transport } from "./call-route.js";

/** The address of a gateway and how to reach it. */
export interface ConnectionOptions {
  /** Where the gateway is mounted, such as `https://gateway.example.com`. In a browser, a path works too. */
  readonly baseUrl: string;
  /** Default: `/api/v1`. */
  readonly basePath?: string;
  /** Default: the `fetch` of the runtime. */
  readonly fetch?: Fetch;
  /** Time-out of a response in milliseconds, at most 2,147,483,647 (24 days), also for `Infinity`. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Milliseconds. A timer that is set to more ends at once. */
const longestTimerMs = 2_147_483_647;

/** On a page's own origin, a path is enough. An empty path is the root. */
const isAddress = (url: unknown) =>
  typeof url === "string" && /^(https?:\/\/[^/\s]|\/|$)/i.test(url);

/** @throws {TypeError} if `baseUrl` is neither an http or https address nor a path. */
export function toTransport(
  { baseUrl, basePath = "/api/v1", timeoutMs = 30_000, ...options }: ConnectionOptions,
  now: () => number = Date.now,
): Transport {
  if (!isAddress(baseUrl)) {
    throw new TypeError(
      `baseUrl: "${baseUrl}" is not an http or https address. Use one such as https://gateway.example.com`,
    );
  }
  return {
    // A plain call, because `fetch` of a browser fails with another `this`.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    apiUrl: baseUrl.replace(/\/+$/, "") + basePath,
    timeoutMs: Math.min(timeoutMs, longestTimerMs),
    now,
  };
}
