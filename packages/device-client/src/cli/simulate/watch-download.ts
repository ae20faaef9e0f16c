/** Wraps a response: counts its bytes and breaks the connection after `breaksAfter` of them. */
export function watchDownload(
  { status, headers, body }: Response,
  onBytes: (bytes: number) => void,
  breaksAfter = Number.POSITIVE_INFINITY,
): Response {
  let passed = 0;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      const rest = breaksAfter - passed;
      passed += piece.length;
      onBytes(piece.length);
      if (rest > 0) controller.enqueue(piece.subarray(0, rest));
      if (piece.length >= rest) controller.error(new TypeError("The connection broke."));
    },
  });
  return new Response(body?.pipeThrough(watch) ?? null, { status, headers });
}
