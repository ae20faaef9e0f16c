import { ok } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Operation } from "../../contract/index.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import type { Drawn } from "../../throttle/draw-tokens.js";
import { drawUnclaimedBytes } from "../../throttle/draw-unclaimed-bytes.js";
import type { Caller } from "./authenticate.js";
import type { GatewayRequest } from "./message.js";

/** Bytes that a request counts besides its body: its headers, and what a store writes for any request. */
const requestBytes = 512;

/** Draws from the byte quota of a device that has no owner. */
export interface UnclaimedQuota {
  /** Draws for a request, by its `Content-Length`, before its body is read. */
  drawBefore(): Promise<Drawn>;
  /** Draws for a body without a `Content-Length`, after it was read. */
  drawAfter(bodyLength: number | undefined): Promise<Drawn>;
}

/** Returns the quota that a request draws from, or undefined if it draws from none. */
export function unclaimedQuotaOf(
  context: GatewayContext,
  { throttle, request: declaredBody }: Operation,
  caller: Caller,
  request: GatewayRequest,
  { clientAddress }: RequestOrigin,
): UnclaimedQuota | undefined {
  if (caller.kind !== "device" || caller.device.ownership !== null) return undefined;
  if (throttle !== "telemetry" || declaredBody.kind !== "json") return undefined;
  const { deviceId } = caller.device;
  const largest = context.limits[declaredBody.limit];
  const header = request.header("content-length");
  const contentLength = header === undefined ? 0 : Number(header);
  const draw = (bytes: number) => drawUnclaimedBytes(context, { deviceId, clientAddress, bytes });
  return {
    // A body that is too large is rejected unread.
    drawBefore: () => draw(requestBytes + (contentLength <= largest ? contentLength : 0)),
    drawAfter: async (bodyLength) =>
      header === undefined ? draw(bodyLength ?? largest) : ok(undefined),
  };
}
