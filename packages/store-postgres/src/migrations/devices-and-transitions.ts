/** Version 1: devices, ownership, budgets, the change feed and events. */
export const devicesAndTransitions = `
-- Ids whose order of commit readers rely on: see commit-order.ts.
CREATE SEQUENCE device_gateway.transition_ids;

CREATE TABLE device_gateway.devices (
  device_id text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  hardware_id text NOT NULL,
  firmware_version text NOT NULL,
  target_hardware text NOT NULL,
  hardware_platform text,
  hardware_model text,
  board_profile text,
  fingerprint_hash text,
  capabilities text NOT NULL, -- JSON
  claim_code_hash text,
  claim_code_spent boolean NOT NULL,
  secret_hash text NOT NULL,
  credential_epoch bigint NOT NULL,
  credential_issued_at bigint NOT NULL,
  pending_secret_hash text, -- NULL, as the next two: there is no pending credential
  pending_epoch bigint,
  pending_issued_at bigint,
  config_overrides text NOT NULL, -- JSON
  config_revision bigint NOT NULL,
  name text,
  owner_id text, -- NULL, as the next two: nobody owns it
  claimed_at bigint,
  visible_from bigint,
  owned_before boolean NOT NULL,
  re_enrolment_until bigint,
  registered_at bigint NOT NULL,
  first_used_at bigint,
  revoked_at bigint,
  ota_channel text NOT NULL,
  pinned_version text,
  ota_command text -- JSON
);

CREATE INDEX devices_by_owner ON device_gateway.devices (owner_id, device_id)
WHERE owner_id IS NOT NULL;

CREATE INDEX devices_unused ON device_gateway.devices (registered_at)
WHERE first_used_at IS NULL AND owner_id IS NULL AND revoked_at IS NULL;

-- What each request of a device changes: narrow, and with room for the next version beside it.
-- Its row is locked by whoever appends to the device.
CREATE TABLE device_gateway.device_activity (
  device_id text COLLATE "C" PRIMARY KEY,
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE, -- what telemetry calls it; never used again
  last_seen_at bigint,
  last_telemetry_at bigint,
  ota_fingerprint text,
  ota_standing text -- JSON; NULL: was never offered anything
) WITH (fillfactor = 70);

CREATE TABLE device_gateway.blocked_ids (
  device_id text COLLATE "C" PRIMARY KEY
);

CREATE TABLE device_gateway.budget_tries (
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  reservation_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (key, at, reservation_id)
);

CREATE INDEX budget_tries_by_reservation ON device_gateway.budget_tries (reservation_id);

CREATE INDEX budget_tries_by_time ON device_gateway.budget_tries (at, reservation_id);

CREATE TABLE device_gateway.changes (
  id bigint PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL
);

CREATE INDEX changes_by_time ON device_gateway.changes (at, id);

CREATE TABLE device_gateway.pruned_changes (
  up_to bigint NOT NULL -- the highest id that was pruned, in the only row
);
INSERT INTO device_gateway.pruned_changes (up_to) VALUES (0);

CREATE TABLE device_gateway.ota_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  source text NOT NULL,
  state text NOT NULL,
  offered_version text,
  from_version text NOT NULL,
  last_result text NOT NULL,
  last_check_succeeded boolean,
  update_available boolean,
  update_applied boolean,
  progress integer,
  message text
);

CREATE INDEX ota_events_by_device ON device_gateway.ota_events (device_id, id);

CREATE TABLE device_gateway.security_events (
  id bigint PRIMARY KEY,
  kind text NOT NULL,
  at bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  request_id text,
  client_address text,
  details text NOT NULL -- JSON
);
`;
