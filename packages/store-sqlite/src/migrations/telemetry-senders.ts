/** Version 5: when each device sent telemetry last, in a table of its own. */
export const telemetrySenders = `
-- Rows of some bytes: each record changes one, and a device's own row is a sixth of a page.
CREATE TABLE telemetry_senders (
  device INTEGER PRIMARY KEY, -- its number
  last_at INTEGER NOT NULL -- received, epoch milliseconds
) STRICT;

INSERT INTO telemetry_senders (device, last_at)
SELECT number, last_telemetry_at FROM devices
WHERE number IS NOT NULL AND last_telemetry_at IS NOT NULL;

-- A number that a process remembers is good as long as its row is here.
CREATE TRIGGER telemetry_senders_gone AFTER DELETE ON devices WHEN old.number IS NOT NULL BEGIN
  DELETE FROM telemetry_senders WHERE device = old.number;
END;

ALTER TABLE devices DROP COLUMN last_telemetry_at;
`;
