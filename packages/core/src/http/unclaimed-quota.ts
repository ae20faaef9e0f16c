import { ok } from "neverthrow";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { Route } from "../contract/index.js";
import type { Drawn } from "../throttle/draw-tokens.js";
import { drawUnclaimedBytes } from "../throttle/draw-unclaimed-bytes.js";
import type { Caller } from "./authenticate.js";
import type { GatewayRequest } from "./message.js";

/** What a request counts for beside its body: its headers, and what a store writes for any request. */
const requestBytes = 512;

/** Draws from the quota of a device that nobody has claimed. */
export interface UnclaimedQuota {
  /** Draws for a request before its body is read, by its `Content-Length`. */
  drawBefore(): Promise<Drawn>;
  /** Draws for a body that came without a `Content-Length`. */
  drawAfter(bodyLength: number | undefined): Promise<Drawn>;
}

/** Returns the quota that a request draws from; undefined if it has none. */
export function unclaimedQuotaOf(
  context: GatewayContext,
  { throttle, request: wanted }: Route,
  caller: Caller,
  request: GatewayRequest,
  { clientAddress }: RequestOrigin,
): UnclaimedQuota | undefined {
  if (caller.kind !== "device" || caller.device.ownership !== null) return undefined;
  if (throttle !== "telemetry" || wanted.kind !== "json") return undefined;
  const { deviceId } = caller.device;
  const largest = context.limits[wanted.limit];
  const header = request.header("content-length");
  const declared = header === undefined ? 0 : Number(header);
  const draw = (bytes: number) => drawUnclaimedBytes(context, { deviceId, clientAddress, bytes });
  return {
    // A body that is too large is refused unread.
    drawBefore: () => draw(requestBytes + (declared <= largest ? declared : 0)),
    drawAfter: async (bodyLength) =>
      header === undefined ? draw(bodyLength ?? largest) : ok(undefined),
  };
}
