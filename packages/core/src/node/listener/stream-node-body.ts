import type { IncomingMessage } from "node:http";
import { BrokenBodyError } from "../../http/request/broken-body-error.js";
import { awaitPiece } from "../../http/request/stall.js";

/**
 * Streams a request's body, no faster than it is read. The rest of a body that is not read to the end is received and
 * discarded.
 *
 * @example
 * const stream = () => streamNodeBody(request);
 * const response = await gateway.handle(toGatewayRequest(request, { stream }));
 */
export async function* streamNodeBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (request.destroyed) throw new BrokenBodyError("The client disconnected.");
  // The request must stay open: destroying it would also close the socket of the response.
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await awaitPiece(chunks.next());
      if (next.done === true) break;
      yield next.value as Buffer;
    }
  } finally {
    // The rest is discarded only after the pending read ended.
    void Promise.resolve(chunks.return?.())
      .catch(() => {})
      .finally(() => request.resume());
  }
}
