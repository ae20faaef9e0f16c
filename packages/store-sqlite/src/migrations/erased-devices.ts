/** Version 6: the data of an erased device becomes unreachable at once and is deleted in steps. */
export const erasedDevices = `
-- Numbers of erased devices, whose rows nobody can reach and that are still to be deleted.
CREATE TABLE telemetry_erased (
  device INTEGER PRIMARY KEY
) STRICT;

-- Events have the device's id, which another one may have by now: those up to here are not its own.
CREATE TABLE ota_events_erased (
  device_id TEXT NOT NULL PRIMARY KEY,
  up_to INTEGER NOT NULL -- ota_events.id
) STRICT, WITHOUT ROWID;

-- Keys by number: a device that has used some and has sent no record yet gets one.
UPDATE devices SET number = rowid + (SELECT last_device FROM telemetry_counters)
WHERE number IS NULL AND device_id IN (SELECT device_id FROM telemetry_keys);
UPDATE telemetry_counters SET last_device = max(last_device, (SELECT ifnull(max(number), 0) FROM devices));

ALTER TABLE telemetry_keys RENAME TO telemetry_keys_by_id;

CREATE TABLE telemetry_keys (
  device INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  verdicts TEXT NOT NULL, -- JSON
  memo TEXT NOT NULL,
  PRIMARY KEY (device, key)
) STRICT;

INSERT INTO telemetry_keys (device, key, fingerprint, expires_at, verdicts, memo)
SELECT number, key, fingerprint, expires_at, verdicts, memo
FROM telemetry_keys_by_id JOIN devices USING (device_id);
DROP TABLE telemetry_keys_by_id;

CREATE INDEX telemetry_keys_by_expiry ON telemetry_keys (expires_at);
`;
