import type { IncomingMessage, ServerResponse } from "node:http";
import { toOriginForm } from "@device-gateway/core/node";

export interface BodyTimeLimits {
  /** How long a body may take. Image uploads are exempt: they end after a minute without progress. */
  readonly bodyMs: number;
  /** How long a client may keep sending after the response. */
  readonly afterResponseMs: number;
}

/** The limits of the bundled server. */
export const bodyTimeLimits: BodyTimeLimits = { bodyMs: 60_000, afterResponseMs: 5_000 };

const isImage = ({ method, url = "" }: IncomingMessage) =>
  method === "PUT" &&
  /^\/(api\/)?v1\/operator\/firmware\/releases\/[^/]+\/image$/.test(
    toOriginForm(url).split("?")[0] ?? "",
  );

/**
 * Ends the connection of a client that takes too long to send its body (§9). Checks `request.complete`, because a request
 * without a body reader never emits `end`. A complete request may wait for its response.
 */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyMs, afterResponseMs }: BodyTimeLimits,
): void {
  let timer: NodeJS.Timeout | undefined;
  const endIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, ms);
  };
  const stopTimer = () => clearTimeout(timer);
  request.once("end", stopTimer).once("close", stopTimer);
  if (!isImage(request)) endIn(bodyMs);
  response.once("finish", () => {
    if (!request.complete) endIn(afterResponseMs);
  });
}
