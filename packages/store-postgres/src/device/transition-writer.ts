import type { SecurityEvent } from "@device-gateway/core/store";
import { markOf } from "../database/commit-order.js";

/** Parameters of `told`: an event's own columns. */
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

/** Has each device of the relation `source` in the change feed, within the statement that changes it. */
export const feed = (source: string, at: string): string => `
  INSERT INTO device_gateway.changes (id, device_id, at)
  SELECT nextval('device_gateway.transition_ids'), device_id, ${at} FROM ${source}, mark`;

/** Writes the event of each device of the relation `source`. */
export const tell = (source: string, details = "@details"): string => `
  INSERT INTO device_gateway.security_events
    (id, kind, at, device_id, actor, request_id, client_address, details)
  SELECT nextval('device_gateway.transition_ids'), @eventKind, @eventAt::bigint, device_id, @actor,
    @requestId, @clientAddress, ${details} FROM ${source}, mark`;

/** Goes first in a statement that feeds or tells. */
export const mark = `mark AS MATERIALIZED (${markOf("transition_ids")})`;

/** What tells of the devices of the relation `source`: change feed and event. */
export const told = (source: string): string => `
  fed AS (${feed(source, "@eventAt::bigint")}), told AS (${tell(source)})`;
