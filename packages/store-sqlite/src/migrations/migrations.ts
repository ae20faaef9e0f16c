import { alerts } from "./alerts.js";
import { benchMode } from "./bench-mode.js";
import { deviceCommands } from "./device-commands.js";
import { deviceMetadata } from "./device-metadata.js";
import { deviceSearch } from "./device-search.js";
import { erasedDevices } from "./erased-devices.js";
import { eventLog } from "./event-log.js";
import { eventsByKind } from "./events-by-kind.js";
import { followers } from "./followers.js";
import { keyCheck } from "./key-check.js";
import { markedRotations } from "./marked-rotations.js";
import { packedTelemetry } from "./packed-telemetry.js";
import { shapeIntroducers } from "./shape-introducers.js";
import { telemetryRefusals } from "./telemetry-refusals.js";
import { webhooks } from "./webhooks.js";

/**
 * Identifies a database file of the device gateway: "DGWY"
 * (https://sqlite.org/pragma.html#pragma_application_id).
 */
export const applicationId = 0x44475759;

/**
 * The migrations in order: migration n, counted from 1, turns version n - 1 into version n. Never
 * change a released migration.
 */
export const migrations: readonly string[] = [
  `
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
`,
  packedTelemetry,
  `
CREATE TABLE releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL,
  version TEXT NOT NULL,
  target_hardware TEXT NOT NULL,
  released_at TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  signature TEXT NOT NULL,
  signing_key_id TEXT NOT NULL,
  signature_algorithm TEXT NOT NULL,
  external_url TEXT,
  rollout_channel TEXT NOT NULL,
  rollout_percent INTEGER NOT NULL,
  mandatory INTEGER NOT NULL,
  notes TEXT NOT NULL,
  min_version TEXT,
  status TEXT NOT NULL,
  has_image INTEGER NOT NULL,
  halted_at INTEGER, -- NULL: the guard did not pause it
  created_at INTEGER NOT NULL,
  activated_at INTEGER -- NULL: was never active
) STRICT;

-- A draft that was given up frees its version.
CREATE UNIQUE INDEX releases_by_version ON releases (target_hardware, version)
WHERE status <> 'withdrawn' OR activated_at IS NOT NULL;

CREATE INDEX releases_active ON releases (id) WHERE status = 'active';
`,
  `
ALTER TABLE devices ADD COLUMN ota_channel TEXT NOT NULL DEFAULT 'stable';
ALTER TABLE devices ADD COLUMN pinned_version TEXT;
ALTER TABLE devices ADD COLUMN ota_command TEXT; -- JSON
ALTER TABLE devices ADD COLUMN ota_standing TEXT; -- JSON; NULL: was never offered anything

ALTER TABLE ota_events ADD COLUMN progress INTEGER;
ALTER TABLE ota_events ADD COLUMN message TEXT;

CREATE TABLE device_updates (
  device_id TEXT NOT NULL,
  release_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  from_version TEXT NOT NULL,
  offered_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  attempts TEXT NOT NULL, -- JSON: times
  attempt_served INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  outcome TEXT, -- NULL, as the next one: the guard has not counted it
  outcome_round INTEGER,
  PRIMARY KEY (device_id, release_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_updates_under_way ON device_updates (updated_at)
WHERE state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE INDEX device_updates_at_rest ON device_updates (updated_at)
WHERE NOT state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

-- Kept by the triggers: counting a million rows would hold requests up.
CREATE TABLE device_update_counts (
  release_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (release_id, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_updates_inserted AFTER INSERT ON device_updates BEGIN
  INSERT INTO device_update_counts (release_id, state, count) VALUES (new.release_id, new.state, 1)
  ON CONFLICT (release_id, state) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER device_updates_moved AFTER UPDATE OF state ON device_updates
WHEN old.state <> new.state BEGIN
  UPDATE device_update_counts SET count = count - 1
  WHERE release_id = old.release_id AND state = old.state;
  INSERT INTO device_update_counts (release_id, state, count) VALUES (new.release_id, new.state, 1)
  ON CONFLICT (release_id, state) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER device_updates_deleted AFTER DELETE ON device_updates BEGIN
  UPDATE device_update_counts SET count = count - 1
  WHERE release_id = old.release_id AND state = old.state;
END;

CREATE TABLE rollout_tallies (
  release_id INTEGER NOT NULL PRIMARY KEY,
  round INTEGER NOT NULL, -- counts the halts
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL
) STRICT;
`,
  `
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
`,
  erasedDevices,
  markedRotations,
  shapeIntroducers,
  benchMode,
  keyCheck,
  deviceMetadata,
  followers,
  telemetryRefusals,
  deviceSearch,
  deviceCommands,
  eventLog,
  alerts,
  webhooks,
  eventsByKind,
];
