import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { hostOf } from "./endpoint-url.js";
import { isPublicAddress, lookUpPublic, PrivateAddressError } from "./public-address.js";

/** Bytes of a response that are read and kept. */
const responseBytes = 1_024;

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bounds the whole exchange: name, connection, request and response. */
  readonly timeoutMs: number;
  readonly allowIntranet: boolean;
  readonly signal: AbortSignal;
}

export interface PostOutcome {
  /** Null: there was no response. */
  readonly status: number | null;
  /** Why it failed. Null: the receiver answered with a status from 200 to 299. */
  readonly error: string | null;
  /** The beginning of the response's body. */
  readonly response: string;
}

/** Returns the message of an error, or those of all addresses of a name that could not be reached. */
const messageOf = (error: Error): string =>
  error instanceof AggregateError
    ? error.errors.map((each) => messageOf(each as Error)).join(". ")
    : error.message;

/** Sends a message, and never follows a redirect. Never rejects. */
export function postMessage(post: Post): Promise<PostOutcome> {
  const { url, headers, body, timeoutMs, allowIntranet, signal } = post;
  const timeout = AbortSignal.timeout(timeoutMs);
  // By default, Node gives up an address after 250 ms if the name has another one, reachable or not.
  const socketOptions = { autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / 3) };
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status: number | null = null;
    const end = (error: string | null) => {
      const response = Buffer.concat(chunks).subarray(0, responseBytes).toString();
      resolve({ status, error, response });
    };
    const fail = (error: Error) =>
      end(timeout.aborted ? `There was no complete response in ${timeoutMs} ms` : messageOf(error));
    // A socket does not look up an address.
    const host = hostOf(url);
    if (!allowIntranet && isIP(host) !== 0 && !isPublicAddress(host)) {
      fail(new PrivateAddressError(host));
      return;
    }
    let request: ClientRequest;
    try {
      request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
        method: "POST",
        headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        agent: false,
        ...socketOptions,
        signal: AbortSignal.any([timeout, signal]),
        ...(!allowIntranet && { lookup: lookUpPublic }),
      });
    } catch (error) {
      fail(error as Error);
      return;
    }
    request.on("error", fail);
    // After 101, and whenever the socket ends without an error, no other event follows.
    request.on("close", () => {
      if (status === null) fail(new Error("The connection ended without a response"));
    });
    request.on("response", (response) => {
      status = response.statusCode ?? null;
      const isSuccess = status !== null && status >= 200 && status < 300;
      const judge = () => end(isSuccess ? null : `The receiver answered with ${status}`);
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length < responseBytes) return;
        judge();
        request.destroy();
      });
      response.on("end", judge);
      response.on("error", fail);
      response.on("close", () => fail(new Error("The connection ended within the response")));
    });
    request.end(body);
  });
}
