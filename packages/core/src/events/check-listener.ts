import type { GatewayEventKind } from "./gateway-event.js";

const kinds: Readonly<Record<GatewayEventKind, true>> = {
  "device.registered": true,
  "device.registered_again": true,
  "device.claimed": true,
  "device.assigned": true,
  "device.released": true,
  "device.renamed": true,
  "device.configured": true,
  "device.metadata_changed": true,
  "device.command_sent": true,
  "device.command_cancelled": true,
  "device.revoked": true,
  "device.reinstated": true,
  "device.erased": true,
  "release.created": true,
  "release.changed": true,
  "release.activated": true,
  "release.paused": true,
  "release.withdrawn": true,
  "release.halted": true,
  "telemetry.received": true,
  "update.moved": true,
  "command.answered": true,
  "request.answered": true,
  "telemetry.judged": true,
  "code.refused": true,
  "store.failed": true,
};

/**
 * Checks the arguments of `gateway.on` at run time, for callers without TypeScript.
 * @throws {TypeError} if there is no such event, or the listener is not a function.
 */
export function checkListener(kind: string, listener: unknown): void {
  if (!Object.hasOwn(kinds, kind)) {
    const names = Object.keys(kinds).join(", ");
    throw new TypeError(`gateway.on: there is no event "${kind}". The events are ${names}.`);
  }
  if (typeof listener !== "function") {
    throw new TypeError(`gateway.on: pass a function that receives "${kind}".`);
  }
}
