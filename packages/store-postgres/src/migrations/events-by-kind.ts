/** Version 20: pages of some kinds of events of a device or an actor. */
export const eventsByKind = `
DROP INDEX device_gateway.security_events_by_device;
DROP INDEX device_gateway.security_events_by_actor;

CREATE INDEX security_events_by_device ON device_gateway.security_events (device_id, kind, id);

CREATE INDEX security_events_by_actor ON device_gateway.security_events (actor, kind, id);
`;
