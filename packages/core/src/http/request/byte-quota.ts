import { ok } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Operation } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import type { Awaitable } from "../../shared/awaitable.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { type Drawn, drawTokens } from "../../throttle/draw-tokens.js";
import { drawUnclaimedBytes } from "../../throttle/draw-unclaimed-bytes.js";
import type { Caller } from "./authenticate.js";
import type { GatewayRequest } from "./message.js";

/** Bytes that a request counts besides its body: its headers, and what a store writes for any request. */
const requestBytes = 512;

/** Draws the bytes of a device's telemetry from its quota. */
export interface ByteQuota {
  /** Draws for a request, by its `Content-Length`, before its body is read. */
  drawBefore(): Awaitable<Drawn>;
  /** Draws for a body without a `Content-Length`, after it was read. */
  drawAfter(bodyLength: number | undefined): Awaitable<Drawn>;
}

/** A device without an owner has a smaller quota than others, unless that is switched off. */
function drawBytes(
  context: GatewayContext,
  { deviceId, ownership }: Device,
  { clientAddress }: RequestOrigin,
  bytes: number,
): Awaitable<Drawn> {
  const { unclaimedBytesPerMinute, telemetryBytesPerMinute: perMinute } = context.limits;
  if (ownership === null && unclaimedBytesPerMinute > 0) {
    return drawUnclaimedBytes(context, { deviceId, clientAddress, bytes });
  }
  if (perMinute === 0) return ok(undefined);
  const quota = { bucket: "telemetry-bytes", who: deviceId, perMinute, burst: perMinute / 2 };
  return drawTokens(context, { ...quota, cost: bytes });
}

/** Returns the quota that a request draws from, or undefined if it draws from none. */
export function byteQuotaOf(
  context: GatewayContext,
  { throttle, request: declaredBody }: Operation,
  caller: Caller,
  request: GatewayRequest,
  origin: RequestOrigin,
): ByteQuota | undefined {
  if (caller.kind !== "device") return undefined;
  if (throttle !== "telemetry" || declaredBody.kind !== "json") return undefined;
  const { device } = caller;
  const largest = context.limits[declaredBody.limit];
  const header = request.header("content-length");
  const contentLength = header === undefined ? 0 : Number(header);
  const draw = (bytes: number) => drawBytes(context, device, origin, bytes);
  return {
    // A body that is too large is rejected unread.
    drawBefore: () => draw(requestBytes + (contentLength <= largest ? contentLength : 0)),
    drawAfter: (bodyLength) => (header === undefined ? draw(bodyLength ?? largest) : ok(undefined)),
  };
}
