/**
 * Version 2: records are stored without their names, and devices by number
 * (docs/decisions/0009-telemetry-layout.md). Existing records stay as JSON text until their
 * retention ends.
 */
export const packedTelemetry = `
-- What telemetry calls a device; NULL: it has sent none yet. Never given to another one.
ALTER TABLE devices ADD COLUMN number INTEGER;
UPDATE devices SET number = rowid;

CREATE TABLE telemetry_counters (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_device INTEGER NOT NULL -- the highest number that a device was given
) STRICT;
INSERT INTO telemetry_counters SELECT 1, ifnull(max(number), 0) FROM devices;

-- Records without their values, and hours without what their metrics did: each is kept once.
CREATE TABLE telemetry_shapes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skeleton TEXT NOT NULL UNIQUE
) STRICT;

-- Whose shapes they are: how many a device has is bounded, and what nobody uses is dropped.
CREATE TABLE telemetry_shape_uses (
  device INTEGER NOT NULL,
  shape INTEGER NOT NULL REFERENCES telemetry_shapes (id),
  kind TEXT NOT NULL CHECK (kind IN ('record', 'hour')),
  used_to INTEGER NOT NULL, -- nothing beyond this position, or this hour, has the shape
  PRIMARY KEY (device, shape, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_shape_uses_by_shape ON telemetry_shape_uses (shape);

CREATE INDEX telemetry_shape_uses_by_age ON telemetry_shape_uses (kind, used_to);

ALTER TABLE telemetry RENAME TO telemetry_of_text;

CREATE TABLE telemetry (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  device INTEGER NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  seq INTEGER,
  timed INTEGER NOT NULL, -- 0: never a duplicate
  shape INTEGER, -- NULL: the content is the record as JSON text
  content BLOB NOT NULL
) STRICT;

-- Carried over as text. What was received before the retention goes with it, so this is for a while.
INSERT INTO telemetry (position, device, at, received_at, seq, timed, shape, content)
SELECT position, number, at, received_at, seq, content_hash IS NOT NULL, NULL, CAST(body AS BLOB)
FROM telemetry_of_text JOIN devices USING (device_id) ORDER BY position;

-- No position is given out twice, not even one that was pruned.
DELETE FROM sqlite_sequence WHERE name = 'telemetry';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'telemetry', seq FROM sqlite_sequence WHERE name = 'telemetry_of_text';

-- Digests of timed records at instants that have many: they can't be compared with all of them.
CREATE TABLE telemetry_crowds (
  device INTEGER NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER,
  digest TEXT NOT NULL
) STRICT;

CREATE INDEX telemetry_crowds_by_digest ON telemetry_crowds (device, at, digest);

INSERT INTO telemetry_crowds (device, at, seq, digest)
SELECT number, at, seq, content_hash FROM (
  SELECT device_id, at, seq, content_hash,
    row_number() OVER (PARTITION BY device_id, at ORDER BY position) AS place
  FROM telemetry_of_text
) JOIN devices USING (device_id) WHERE place > 8 AND content_hash IS NOT NULL;

DROP TABLE telemetry_of_text;

-- Among equal times the position decides: an index ends in it by itself.
CREATE INDEX telemetry_by_time ON telemetry (device, at);

ALTER TABLE telemetry_open_hours RENAME TO telemetry_open_hours_by_id;
DROP INDEX telemetry_open_hours_by_hour;

CREATE TABLE telemetry_open_hours (
  device INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  PRIMARY KEY (device, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_open_hours_by_hour ON telemetry_open_hours (hour);

INSERT INTO telemetry_open_hours (device, hour)
SELECT number, hour FROM telemetry_open_hours_by_id JOIN devices USING (device_id);
DROP TABLE telemetry_open_hours_by_id;

ALTER TABLE telemetry_rollups RENAME TO telemetry_rollups_of_text;
DROP INDEX telemetry_rollups_by_hour;

CREATE TABLE telemetry_rollups (
  device INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  shape INTEGER, -- NULL: JSON text, name to [min, max, sum, count, first, last, rest of the sum]
  content BLOB NOT NULL,
  PRIMARY KEY (device, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_rollups_by_hour ON telemetry_rollups (hour);

INSERT INTO telemetry_rollups (device, hour, shape, content)
SELECT number, hour, NULL, CAST(metrics AS BLOB)
FROM telemetry_rollups_of_text JOIN devices USING (device_id);
DROP TABLE telemetry_rollups_of_text;
`;
