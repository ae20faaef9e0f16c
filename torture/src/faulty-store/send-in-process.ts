import { parseJsonBody } from "@device-gateway/core/node";
import type { Handle } from "../attack.js";
import type { FuzzRequest } from "../fuzz/message.js";

export interface InProcessReply {
  readonly status: number;
  readonly body: string;
}

/** Calls the handler directly. Reads only the beginning of a response that never ends. */
export async function sendInProcess(
  handle: Handle,
  { method, target, headers, body }: FuzzRequest,
): Promise<InProcessReply> {
  const [path = "", query = ""] = target.split("?", 2);
  const answer = await handle({
    method,
    path,
    query,
    clientAddress: "192.0.2.7",
    header: (name) => headers[name],
    json: async () => parseJsonBody(body ?? Buffer.alloc(0)),
    async *stream() {
      if (body !== null) yield body;
    },
  });
  if (typeof answer.body === "string") return { status: answer.status, body: answer.body };
  return { status: answer.status, body: await readPieces(answer.body) };
}

const silenceMs = 30;

/** Reads a stream until it ends or is silent for 30 ms, because a live stream never ends. */
async function readPieces(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const iterator = stream[Symbol.asyncIterator]();
  const pieces: string[] = [];
  for (;;) {
    const next = iterator.next();
    // A stream that fails reports the failure to its client by breaking off.
    const piece = await Promise.race([next.catch(() => null), silence()]);
    if (piece === null || piece.done) break;
    const { value } = piece;
    pieces.push(typeof value === "string" ? value : Buffer.from(value).toString("latin1"));
  }
  void iterator.return?.()?.catch(() => {});
  return pieces.join("");
}

const silence = () =>
  new Promise<null>((resolve) => {
    setTimeout(() => resolve(null), silenceMs);
  });
