import { type RouteName, routes } from "@device-gateway/core/contract";
import type { WireReply, WireRequest, WireWorld } from "../wire/world/wire-world.js";

/** A wire world that counts the bytes of the requests on the wire, headers included. */
export interface GrowthWorld extends WireWorld {
  readonly sent: { bytes: number; requests: number; refused: number };
}

/** Returns the fewest bytes that an HTTP/1.1 client can send for this request. */
function countRequestBytes(
  name: RouteName,
  { body, raw, token, headers, params = {} }: WireRequest,
): number {
  const { method, path } = routes[name];
  const target = path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? "");
  const text = raw ?? (body === undefined ? "" : JSON.stringify(body));
  const content = typeof text === "string" ? Buffer.byteLength(text) : text.length;
  const lines = [
    `${method} /api/v1${target} HTTP/1.1`,
    "Host: gateway.test",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(content === 0 ? [] : ["Content-Type: application/json", `Content-Length: ${content}`]),
    ...Object.entries(headers ?? {}).map(([header, value]) => `${header}: ${value}`),
  ];
  return lines.join("\r\n").length + 4 + content;
}

/** Wraps a world so that it counts what `call` sends. */
export function countBytes(world: WireWorld): GrowthWorld {
  const sent = { bytes: 0, requests: 0, refused: 0 };
  const call = async (name: RouteName, request: WireRequest = {}): Promise<WireReply> => {
    sent.bytes += countRequestBytes(name, request);
    sent.requests += 1;
    const reply = await world.call(name, request);
    if (reply.status >= 400) sent.refused += 1;
    return reply;
  };
  return { ...world, call, sent };
}
