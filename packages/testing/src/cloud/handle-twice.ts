import type { GatewayRequest, GatewayResponse, JsonBody } from "@device-gateway/core";

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * Handles a request twice, one after the other, both times with the same JSON body. A body that the gateway reads as a
 * stream is absent the second time. Returns both responses; the second one's body was discarded.
 */
export async function handleTwice(
  handle: (request: GatewayRequest) => Promise<GatewayResponse>,
  request: GatewayRequest,
): Promise<readonly [GatewayResponse, GatewayResponse]> {
  let read: Promise<JsonBody> | undefined;
  let isStreamed = false;
  const json = (limit: number) => {
    read ??= request.json(limit);
    return read;
  };
  const stream = () => {
    if (isStreamed) return nothing();
    isStreamed = true;
    return request.stream();
  };
  const repeated = { ...request, json, stream };
  const first = await handle(repeated);
  const second = await handle(repeated);
  if (typeof second.body !== "string") await second.body[Symbol.asyncIterator]().return?.();
  return [first, second];
}
