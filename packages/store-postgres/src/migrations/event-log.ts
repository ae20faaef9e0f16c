/** Version 17: pages of some kinds of events, and what was deleted of the event log. */
export const eventLog = `
CREATE INDEX security_events_by_kind ON device_gateway.security_events (kind, id);

CREATE TABLE device_gateway.pruned_events (
  up_to bigint NOT NULL -- the highest id that was pruned, in the only row
);
INSERT INTO device_gateway.pruned_events (up_to) VALUES (0);
`;
