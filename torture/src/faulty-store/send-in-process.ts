import { parseJsonBody } from "@device-gateway/core/node";
import type { Handle } from "../attack.js";
import type { FuzzRequest } from "../fuzz/message.js";

export interface InProcessReply {
  readonly status: number;
  readonly body: string;
}

/** Sends a request without a wire; of an answer that never ends, its beginning. */
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

const patienceMs = 30;

/** What a stream gives until it ends, or gives nothing for a while: a live one never ends. */
async function readPieces(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const iterator = stream[Symbol.asyncIterator]();
  const pieces: string[] = [];
  for (;;) {
    const next = iterator.next();
    // One that breaks off says so to its client by breaking off.
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
    setTimeout(() => resolve(null), patienceMs);
  });
