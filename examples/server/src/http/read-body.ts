import type { IncomingMessage } from "node:http";

/**
 * Reads a request's body into memory, at most `limit` bytes. If the body is too large, the rest is discarded as it
 * arrives.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Buffer<ArrayBuffer> | "too_large" | "broken_off"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    request.resume();
    return Promise.resolve("too_large");
  }
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    request
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= limit) {
          chunks.push(chunk);
          return;
        }
        chunks = [];
        resolve("too_large");
      })
      .on("end", () => resolve(Buffer.concat(chunks)))
      // Only the first outcome counts.
      .on("error", () => resolve("broken_off"))
      .on("close", () => resolve("broken_off"));
  });
}
