import type { SecurityEvent } from "@device-gateway/core/store";
import { markOf } from "../database/changes/commit-order.js";

/** The event parameters of `writeTransitions`. */
export interface EventParameters {
  readonly eventKind: string;
  readonly eventAt: number;
  readonly actor: string;
  readonly requestId: string | null;
  readonly clientAddress: string | null;
  readonly details: string;
}

export const toEventParameters = (event: Omit<SecurityEvent, "deviceId">): EventParameters => ({
  eventKind: event.kind,
  eventAt: event.at,
  actor: event.actor,
  requestId: event.requestId,
  clientAddress: event.clientAddress,
  details: JSON.stringify(event.details),
});

/** Returns the INSERT that adds each device of the relation `source` to the change feed. */
export const writeChanges = (source: string, at: string): string => `
  INSERT INTO device_gateway.changes (id, device_id, at)
  SELECT nextval('device_gateway.transition_ids'), device_id, ${at} FROM ${source}, mark`;

/** Returns the INSERT that writes a security event for each device of the relation `source`. */
export const writeEvents = (source: string, details = "@details"): string => `
  INSERT INTO device_gateway.security_events
    (id, kind, at, device_id, actor, request_id, client_address, details)
  SELECT nextval('device_gateway.transition_ids'), @eventKind, @eventAt::bigint, device_id, @actor,
    @requestId, @clientAddress, ${details} FROM ${source}, mark`;

/**
 * The mark (see `markOf`). It comes first in a statement that uses `writeChanges` or `writeEvents`.
 */
export const mark = `mark AS MATERIALIZED (${markOf("transition_ids")})`;

/**
 * Returns the CTEs that write the change-feed entries and security events of the devices of the
 * relation `source`.
 */
export const writeTransitions = (source: string): string => `
  fed AS (${writeChanges(source, "@eventAt::bigint")}), logged AS (${writeEvents(source)})`;
