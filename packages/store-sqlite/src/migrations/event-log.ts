/** Version 16: pages of some kinds of events, and what was deleted of the event log. */
export const eventLog = `
CREATE INDEX security_events_by_kind ON security_events (kind, id);

CREATE TABLE pruned_events (
  up_to INTEGER NOT NULL -- the highest id that was pruned, in the only row
) STRICT;
INSERT INTO pruned_events (up_to) VALUES (0);
`;
