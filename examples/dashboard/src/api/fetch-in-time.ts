import { compareClocks } from "./server-clock.js";

/** A server that does not answer within this time counts as unreachable. */
const timeoutMs = 20_000;

/**
 * Fetches from the server as `fetch` does, and compares its clock with the browser's. Rejects if the response and its
 * body together take more than 20 s.
 */
export async function fetchInTime(url: string, init: RequestInit = {}): Promise<Response> {
  const late = new AbortController();
  setTimeout(() => late.abort(), timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
  const sentAt = Date.now();
  const response = await fetch(url, { ...init, signal });
  compareClocks(response.headers, sentAt);
  return response;
}
