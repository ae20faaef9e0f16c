/** "DGWY": marks a database as a device gateway's (https://sqlite.org/pragma.html). */
export const applicationId = 0x44475759;

/**
 * The way to the current schema: migration n, counted from 1, makes version n of version n - 1.
 * Forward only, and never changed once released.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE devices (
  device_id TEXT NOT NULL PRIMARY KEY,
  hardware_id TEXT NOT NULL,
  firmware_version TEXT NOT NULL,
  target_hardware TEXT NOT NULL,
  hardware_platform TEXT,
  hardware_model TEXT,
  board_profile TEXT,
  fingerprint_hash TEXT,
  capabilities TEXT NOT NULL, -- JSON
  claim_code_hash TEXT,
  secret_hash TEXT NOT NULL,
  credential_epoch INTEGER NOT NULL,
  config_overrides TEXT NOT NULL, -- JSON
  config_revision INTEGER NOT NULL,
  registered_at INTEGER NOT NULL
) STRICT;

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

-- NULLs differ from each other in an index, and two records without seq may be the same.
CREATE UNIQUE INDEX telemetry_identity
ON telemetry (device_id, at, content_hash, ifnull(seq, 'none'))
WHERE content_hash IS NOT NULL;

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
`,
];
