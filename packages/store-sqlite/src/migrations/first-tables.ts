/** Version 1: devices, telemetry as JSON text, budgets, OTA events and security events. */
export const firstTables = `
CREATE TABLE devices (
  device_id TEXT NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL,
  hardware_id TEXT NOT NULL,
  firmware_version TEXT NOT NULL,
  target_hardware TEXT NOT NULL,
  hardware_platform TEXT,
  hardware_model TEXT,
  board_profile TEXT,
  fingerprint_hash TEXT,
  capabilities TEXT NOT NULL, -- JSON
  claim_code_hash TEXT,
  claim_code_spent INTEGER NOT NULL,
  secret_hash TEXT NOT NULL,
  credential_epoch INTEGER NOT NULL,
  credential_issued_at INTEGER NOT NULL,
  pending_secret_hash TEXT, -- NULL, as the next two: there is no pending credential
  pending_epoch INTEGER,
  pending_issued_at INTEGER,
  config_overrides TEXT NOT NULL, -- JSON
  config_revision INTEGER NOT NULL,
  name TEXT,
  owner_id TEXT, -- NULL, as the next two: nobody owns it
  claimed_at INTEGER,
  visible_from INTEGER,
  owned_before INTEGER NOT NULL,
  re_enrolment_until INTEGER,
  registered_at INTEGER NOT NULL,
  first_used_at INTEGER,
  revoked_at INTEGER,
  last_seen_at INTEGER,
  last_telemetry_at INTEGER,
  ota_fingerprint TEXT
) STRICT;

CREATE INDEX devices_by_owner ON devices (owner_id, device_id) WHERE owner_id IS NOT NULL;

CREATE INDEX devices_unused ON devices (registered_at)
WHERE first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL;

CREATE TABLE blocked_ids (
  device_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE telemetry (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  seq INTEGER,
  content_hash TEXT, -- NULL: never a duplicate
  body TEXT NOT NULL
) STRICT;

CREATE INDEX telemetry_by_device ON telemetry (device_id, position);

-- Among equal times the position decides: an index ends in it by itself.
CREATE INDEX telemetry_by_time ON telemetry (device_id, at);

-- NULLs differ from each other in an index, and two records without seq may be the same.
CREATE UNIQUE INDEX telemetry_identity
ON telemetry (device_id, at, content_hash, ifnull(seq, 'none'))
WHERE content_hash IS NOT NULL;

-- What was appended beyond this position has not been looked at by the roll-up.
CREATE TABLE telemetry_watermark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position INTEGER NOT NULL,
  pruned_before INTEGER NOT NULL -- records received before this time may be gone
) STRICT;
INSERT INTO telemetry_watermark (id, position, pruned_before) VALUES (1, 0, 0);

-- Hours with records that are not in their roll-up: still going on, or changed by a late record.
CREATE TABLE telemetry_open_hours (
  device_id TEXT NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  PRIMARY KEY (device_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_open_hours_by_hour ON telemetry_open_hours (hour);

CREATE TABLE telemetry_rollups (
  device_id TEXT NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  metrics TEXT NOT NULL, -- JSON: name to [min, max, sum, count, first, last]
  PRIMARY KEY (device_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_rollups_by_hour ON telemetry_rollups (hour);

CREATE TABLE telemetry_keys (
  device_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  verdicts TEXT NOT NULL, -- JSON
  memo TEXT NOT NULL,
  PRIMARY KEY (device_id, key)
) STRICT;

CREATE INDEX telemetry_keys_by_expiry ON telemetry_keys (expires_at);

CREATE TABLE budget_tries (
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  reservation_id TEXT NOT NULL,
  PRIMARY KEY (key, at, reservation_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX budget_tries_by_reservation ON budget_tries (reservation_id);

CREATE INDEX budget_tries_by_time ON budget_tries (at, reservation_id);

CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX changes_by_time ON changes (at);

CREATE TABLE pruned_changes (
  up_to INTEGER NOT NULL -- the highest id that was pruned, in the only row
) STRICT;

INSERT INTO pruned_changes (up_to) VALUES (0);

CREATE TABLE ota_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  offered_version TEXT,
  from_version TEXT NOT NULL,
  last_result TEXT NOT NULL,
  last_check_succeeded INTEGER,
  update_available INTEGER,
  update_applied INTEGER
) STRICT;

CREATE INDEX ota_events_by_device ON ota_events (device_id, id);

CREATE TABLE security_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  request_id TEXT,
  client_address TEXT,
  details TEXT NOT NULL -- JSON
) STRICT;
`;
