-- Generated from src/migrations: do not edit. Schema version 24.

CREATE TABLE alert_notifications (
  id TEXT NOT NULL PRIMARY KEY,
  alert_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  owner_id TEXT,
  device_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  delivered TEXT NOT NULL, -- JSON: names of channels
  details TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_notifications_by_alert ON alert_notifications (alert_id);

CREATE INDEX alert_notifications_by_device ON alert_notifications (device_id);

CREATE INDEX alert_notifications_by_owner ON alert_notifications (owner_id, due_at, id);

CREATE INDEX alert_notifications_due ON alert_notifications (due_at, id);

CREATE TABLE alert_rules (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT, -- NULL: a rule of the operators
  device_id TEXT, -- NULL: no limit
  revision INTEGER NOT NULL,
  content TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_rules_by_device ON alert_rules (device_id) WHERE device_id IS NOT NULL;

CREATE INDEX alert_rules_by_owner ON alert_rules (owner_id, id);

CREATE TABLE alert_watches (
  device_id TEXT NOT NULL PRIMARY KEY, -- empty: the fleet
  revision INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  received_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  silent_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  id TEXT NOT NULL PRIMARY KEY,
  rule_id TEXT NOT NULL,
  owner_id TEXT,
  subject TEXT NOT NULL,
  device_id TEXT NOT NULL, -- empty: not about a device
  fired_at INTEGER NOT NULL,
  cleared_at INTEGER, -- NULL: it fires
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  muted_until INTEGER,
  reminded_at INTEGER,
  details TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE INDEX alerts_by_device ON alerts (device_id, fired_at, id);

CREATE INDEX alerts_by_device_and_owner ON alerts (device_id, owner_id, fired_at, id);

CREATE INDEX alerts_by_end ON alerts (cleared_at, id) WHERE cleared_at IS NOT NULL;

CREATE INDEX alerts_by_owner ON alerts (owner_id, fired_at, id);

CREATE INDEX alerts_by_rule ON alerts (rule_id, subject, fired_at, id);

CREATE UNIQUE INDEX alerts_firing ON alerts (subject, rule_id) WHERE cleared_at IS NULL;

CREATE INDEX alerts_firing_by_owner ON alerts (owner_id, fired_at, id) WHERE cleared_at IS NULL;

CREATE TABLE alerts_erased (
  device_id TEXT NOT NULL,
  owner_id TEXT NOT NULL, -- empty: the alerts of all owners and of the operators
  up_to INTEGER NOT NULL, -- alerts.fired_at
  PRIMARY KEY (device_id, owner_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE blocked_ids (
  device_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

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

CREATE TABLE device_commands (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  command_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  name TEXT NOT NULL,
  payload TEXT NOT NULL, -- JSON
  sent_by TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  request_key TEXT,
  expires_at INTEGER NOT NULL,
  answer_within_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  delivered_at INTEGER, -- NULL: was never handed out
  due_at INTEGER, -- NULL: has ended
  ended_at INTEGER, -- NULL: is open
  answer TEXT, -- JSON
  answered_at INTEGER
) STRICT;

CREATE INDEX device_commands_by_device ON device_commands (device_id, number);

CREATE INDEX device_commands_due ON device_commands (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX device_commands_ended ON device_commands (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE device_metadata (
  device_id TEXT NOT NULL PRIMARY KEY,
  content TEXT NOT NULL -- JSON: the values, and when each was set
) STRICT;

CREATE TABLE device_metadata_index (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  device_id TEXT NOT NULL,
  PRIMARY KEY (key, value, device_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_metadata_index_by_device ON device_metadata_index (device_id);

CREATE TABLE device_update_counts (
  release_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (release_id, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_updates_deleted AFTER DELETE ON device_updates BEGIN
  UPDATE device_update_counts SET count = count - 1
  WHERE release_id = old.release_id AND state = old.state;
END;

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

CREATE INDEX device_updates_at_rest ON device_updates (updated_at)
WHERE NOT state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE INDEX device_updates_under_way ON device_updates (updated_at)
WHERE state IN ('downloading', 'downloaded', 'verified', 'installing', 'rebooting');

CREATE TRIGGER telemetry_senders_gone AFTER DELETE ON devices WHEN old.number IS NOT NULL BEGIN
  DELETE FROM telemetry_senders WHERE device = old.number;
END;

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
  ota_fingerprint TEXT
, number INTEGER, ota_channel TEXT NOT NULL DEFAULT 'stable', pinned_version TEXT, ota_command TEXT, ota_standing TEXT, pending_is_rotation INTEGER NOT NULL DEFAULT 0, bench_mode INTEGER NOT NULL DEFAULT 0, commands_waiting INTEGER NOT NULL DEFAULT 0, ota_command_open INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX devices_by_hardware ON devices (target_hardware, device_id);

CREATE INDEX devices_by_name ON devices (name, device_id) WHERE name IS NOT NULL;

CREATE INDEX devices_by_number ON devices (number) WHERE number IS NOT NULL;

CREATE INDEX devices_by_owner ON devices (owner_id, device_id) WHERE owner_id IS NOT NULL;

CREATE INDEX devices_by_version ON devices (firmware_version, device_id);

CREATE INDEX devices_revoked ON devices (device_id) WHERE revoked_at IS NOT NULL;

CREATE INDEX devices_unclaimed ON devices (device_id) WHERE owner_id IS NULL;

CREATE INDEX devices_unused
ON devices (max(registered_at, credential_issued_at, ifnull(pending_issued_at, 0)), registered_at)
WHERE first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL;

CREATE TABLE followers (
  name TEXT NOT NULL PRIMARY KEY,
  cursor TEXT NOT NULL, -- empty at first
  holder TEXT, -- NULL: nobody has the lease
  lease_until INTEGER NOT NULL
) STRICT;

CREATE TABLE key_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value TEXT NOT NULL
) STRICT;

CREATE TABLE metric_descriptions (
  target_hardware TEXT NOT NULL PRIMARY KEY,
  content TEXT NOT NULL -- canonical JSON: descriptions by the names of metrics
) STRICT, WITHOUT ROWID;

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
, progress INTEGER, message TEXT) STRICT;

CREATE INDEX ota_events_by_device ON ota_events (device_id, id);

CREATE TABLE ota_events_erased (
  device_id TEXT NOT NULL PRIMARY KEY,
  up_to INTEGER NOT NULL -- ota_events.id
) STRICT, WITHOUT ROWID;

CREATE TABLE pruned_changes (
  up_to INTEGER NOT NULL -- the highest id that was pruned, in the only row
) STRICT;

CREATE TABLE pruned_events (
  up_to INTEGER NOT NULL -- the highest id that was pruned, in the only row
) STRICT;

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

CREATE INDEX releases_active ON releases (id) WHERE status = 'active';

CREATE UNIQUE INDEX releases_by_version ON releases (target_hardware, version)
WHERE status <> 'withdrawn' OR activated_at IS NOT NULL;

CREATE TABLE rollout_tallies (
  release_id INTEGER NOT NULL PRIMARY KEY,
  round INTEGER NOT NULL, -- counts the halts
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL
) STRICT;

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

CREATE INDEX security_events_by_actor ON security_events (actor, kind, id);

CREATE INDEX security_events_by_device ON security_events (device_id, kind, id);

CREATE INDEX security_events_by_device_and_actor ON security_events (device_id, actor, kind, id);

CREATE INDEX security_events_by_kind ON security_events (kind, id);

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

CREATE INDEX telemetry_by_time ON telemetry (device, at);

CREATE TABLE telemetry_counters (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_device INTEGER NOT NULL -- the highest number that a device was given
) STRICT;

CREATE TABLE telemetry_crowds (
  device INTEGER NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER,
  digest TEXT NOT NULL
) STRICT;

CREATE INDEX telemetry_crowds_by_digest ON telemetry_crowds (device, at, digest, seq);

CREATE TABLE telemetry_erased (
  device INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE telemetry_keys (
  device INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  verdicts TEXT NOT NULL, -- JSON
  memo TEXT NOT NULL,
  PRIMARY KEY (device, key)
) STRICT;

CREATE INDEX telemetry_keys_by_expiry ON telemetry_keys (expires_at);

CREATE TABLE telemetry_open_hours (
  device INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  PRIMARY KEY (device, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_open_hours_by_hour ON telemetry_open_hours (hour);

CREATE TABLE telemetry_refusals (
  device_id TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (device_id, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE telemetry_rollups (
  device INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- epoch milliseconds
  shape INTEGER, -- NULL: JSON text, name to [min, max, sum, count, first, last, rest of the sum]
  content BLOB NOT NULL,
  PRIMARY KEY (device, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_rollups_by_hour ON telemetry_rollups (hour);

CREATE TABLE telemetry_senders (
  device INTEGER PRIMARY KEY, -- its number
  last_at INTEGER NOT NULL -- received, epoch milliseconds
) STRICT;

CREATE TABLE telemetry_shape_uses (
  device INTEGER NOT NULL,
  shape INTEGER NOT NULL REFERENCES telemetry_shapes (id),
  kind TEXT NOT NULL CHECK (kind IN ('record', 'hour')),
  used_to INTEGER NOT NULL, -- nothing beyond this position, or this hour, has the shape
  PRIMARY KEY (device, shape, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX telemetry_shape_uses_by_age ON telemetry_shape_uses (kind, used_to);

CREATE INDEX telemetry_shape_uses_by_shape ON telemetry_shape_uses (shape);

CREATE TABLE telemetry_shapes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  skeleton TEXT NOT NULL UNIQUE
, device INTEGER, owner_id TEXT) STRICT;

CREATE INDEX telemetry_shapes_by_introducer ON telemetry_shapes (owner_id, device);

CREATE TABLE telemetry_watermark (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position INTEGER NOT NULL,
  pruned_before INTEGER NOT NULL -- records received before this time may be gone
) STRICT;

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id TEXT NOT NULL,
  content TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX webhook_attempts_by_endpoint ON webhook_attempts (endpoint_id, id);

CREATE TABLE webhook_deliveries (
  endpoint_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  event_id INTEGER NOT NULL,
  is_dead INTEGER NOT NULL,
  content TEXT NOT NULL, -- JSON
  PRIMARY KEY (endpoint_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_in_order
ON webhook_deliveries (endpoint_id, is_dead, event_id, message_id);

CREATE TABLE webhooks (
  id TEXT NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  failing_since INTEGER, -- NULL: the latest attempt succeeded, or there was none
  content TEXT NOT NULL -- JSON; URL and secrets are encrypted
) STRICT;
