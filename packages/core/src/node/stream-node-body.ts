import type { IncomingMessage } from "node:http";
import { BrokenBodyError } from "../http/broken-body-error.js";
import { awaitPiece } from "../http/stall.js";

/** A request's body as it comes, no faster than it is taken; what is not taken is let run out. */
export async function* streamNodeBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (request.destroyed) throw new BrokenBodyError("The client has gone.");
  // Left open to the end: a destroyed request takes the answer's socket with it.
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await awaitPiece(chunks.next());
      if (next.done === true) break;
      yield next.value as Buffer;
    }
  } finally {
    void chunks.return?.().catch(() => {});
    request.resume();
  }
}
