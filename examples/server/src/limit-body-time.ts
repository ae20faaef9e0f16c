import type { IncomingMessage, ServerResponse } from "node:http";

export interface BodyTimes {
  /** How long a body may take, images apart: those end when nothing comes for a minute. */
  readonly bodyMs: number;
  /** How long a client may go on sending after its answer. */
  readonly afterAnswerMs: number;
}

const isImage = ({ method, url = "" }: IncomingMessage) =>
  method === "PUT" && /\/operator\/firmware\/releases\/[^/]+\/image$/.test(url.split("?")[0] ?? "");

/**
 * Ends the connection of a client that takes too long to send its body (contract §9). What has come
 * whole is never read to its end when nobody wants its body: then the answer may take its time.
 */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyMs, afterAnswerMs }: BodyTimes,
): void {
  let timer: NodeJS.Timeout | undefined;
  const endIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, ms);
  };
  const over = () => clearTimeout(timer);
  request.once("end", over).once("close", over);
  if (!isImage(request)) endIn(bodyMs);
  response.once("finish", () => {
    if (!request.complete) endIn(afterAnswerMs);
  });
}
