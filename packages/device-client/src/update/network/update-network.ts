import type { Fetch } from "../../call-route.js";
import { findTokenFault } from "../../find-token-fault.js";
import { readAnswer } from "../../read-answer.js";
import { readText } from "../../read-text.js";
import { reasonOf } from "../../reason-of.js";
import { wireTable } from "../../wire-table.js";
import type { OpenAnswer, Unavailable, UpdateClock, UpdateNetwork } from "../update-ports.js";
import { judgeDownloadHead, readRetryAfter } from "./download-head.js";
import { judgeReport } from "./judge-report.js";
import { readOffer } from "./read-offer.js";
import { readWithDeadline, withDeadline } from "./with-deadline.js";

/** The device's token and how to renew it. */
export interface UpdateTokens {
  current(): string | undefined;
  /** Logs in again. Rejects if that is not possible now. */
  renew(): Promise<void>;
}

/** Options of `createUpdateNetwork`. */
export interface UpdateNetworkOptions {
  /** Address of the API with its base path, such as `https://gateway.example.com/api/v1`. */
  readonly apiUrl: string;
  readonly fetch: Fetch;
  readonly tokens: UpdateTokens;
  readonly clock: UpdateClock;
  /** Time-out until a response begins, and until a response of JSON is complete, in seconds. Default: 30. */
  readonly answerSeconds?: number;
  /** Time-out of a download without progress, in seconds. Default: 60. */
  readonly stallSeconds?: number;
}

/** Bytes. An offer with the longest notes has about 10,000. */
const maxResponseBytes = 65_536;

const unavailable = (message: string, retryAfterSeconds?: number): Unavailable => ({
  kind: "unavailable",
  message,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

/**
 * Creates the updater's network over `fetch`. After a 401 it renews the token once. It sends the token
 * only to the origin of `apiUrl` and never follows redirects.
 * @example
 * const renew = () => device.connect().match(() => {}, ({ message }) => { throw new Error(message); });
 * const tokens = { current: () => device.token, renew };
 * const network = createUpdateNetwork({ apiUrl, fetch, tokens, clock });
 */
export function createUpdateNetwork(options: UpdateNetworkOptions): UpdateNetwork {
  const { apiUrl, fetch, tokens, clock, answerSeconds = 30, stallSeconds = 60 } = options;
  const { origin } = new URL(apiUrl);

  /** Sends the token only to the gateway's own origin. */
  const send = async (url: string, init: RequestInit, abort: AbortController) => {
    const isOwnOrigin = new URL(url).origin === origin;
    const once = () => {
      const token = isOwnOrigin ? tokens.current() : undefined;
      const tokenFault = findTokenFault(token);
      if (tokenFault !== null) throw new TypeError(tokenFault);
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const request = { ...init, headers, redirect: "error", signal: abort.signal } as const;
      return withDeadline(clock, { ms: answerSeconds * 1000, abort }, () => fetch(url, request));
    };
    const response = await once();
    if (response.status !== 401 || !isOwnOrigin) return response;
    await response.body?.cancel();
    await tokens.renew();
    return once();
  };

  const sendForText = async (url: string, init: RequestInit) => {
    const abort = new AbortController();
    const response = await send(url, init, abort);
    const { body } = response;
    if (body === null) return { response, text: "" };
    // One deadline for the whole body: a server that sends a byte at a time must not delay the device for days.
    const deadline = { ms: answerSeconds * 1000, abort };
    const read = () => readText(body, maxResponseBytes, abort.signal);
    const text = await withDeadline(clock, deadline, read);
    if (text !== null) return { response, text };
    throw new RangeError(`The response has more than ${maxResponseBytes} bytes.`);
  };

  const open = async (
    { offer, offset, etag }: Parameters<UpdateNetwork["open"]>[0],
    abort: AbortController,
  ): Promise<OpenAnswer> => {
    // Without a strong validator, the rest could belong to another image (RFC 9110 §13.1.5).
    const from = etag === null ? 0 : offset;
    const range = { range: `bytes=${from}-`, "if-range": etag ?? "" };
    const headers = { "accept-encoding": "identity", ...(from > 0 && range) };
    const response = await send(offer.downloadUrl, { method: "GET", headers }, abort);
    const head = { status: response.status, header: (name: string) => response.headers.get(name) };
    const verdict = judgeDownloadHead(head, { offer, offset: from, now: clock.now() });
    if (verdict.kind === "opened" && response.body !== null) {
      const deadline = { ms: stallSeconds * 1000, abort };
      return { ...verdict, body: readWithDeadline(clock, deadline, response.body) };
    }
    abort.abort();
    if (verdict.kind === "whole")
      return open({ offer, offset: 0, etag: null }, new AbortController());
    if (verdict.kind !== "opened") return verdict;
    return { kind: "download_refused", code: "wrong_length", message: "The response has no body." };
  };

  return {
    async check(running) {
      try {
        const url = `${apiUrl}/ota/latest?currentVersion=${running}`;
        const { response, text } = await sendForText(url, { method: "GET" });
        if (response.status === 200) return readOffer(JSON.parse(text));
        const after = readRetryAfter(response.headers.get("retry-after"), clock.now());
        return unavailable(
          `The server responded to the check with HTTP ${response.status}.`,
          after,
        );
      } catch (fault) {
        return unavailable(reasonOf(fault));
      }
    },
    async open(request) {
      try {
        return await open(request, new AbortController());
      } catch (fault) {
        return unavailable(reasonOf(fault));
      }
    },
    async report(report) {
      try {
        const { response, text } = await sendForText(`${apiUrl}/ota/events`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(report),
        });
        return judgeReport(readAnswer(wireTable.reportUpdate, response, text, clock.now()));
      } catch {
        return "undelivered";
      }
    },
  };
}
