-- Generated from src/migrations: do not edit. Schema version 29, source 1668d9182b86a8af.

CREATE SCHEMA device_gateway;

CREATE SEQUENCE device_gateway.telemetry_positions;

CREATE SEQUENCE device_gateway.transition_ids;

CREATE TABLE device_gateway.alert_notifications (
  id text COLLATE "C" NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C",
  device_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  due_at bigint NOT NULL,
  attempts integer NOT NULL,
  delivered text COLLATE "C" NOT NULL,
  details text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.alert_rules (
  id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C",
  device_id text COLLATE "C",
  revision bigint NOT NULL,
  content text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.alert_watches (
  device_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  content text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  due_at bigint NOT NULL,
  silent_at bigint
);

CREATE TABLE device_gateway.alerts (
  id text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C",
  subject text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  fired_at bigint NOT NULL,
  cleared_at bigint,
  acknowledged_at bigint,
  acknowledged_by text COLLATE "C",
  muted_until bigint,
  reminded_at bigint,
  details text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.alerts_erased (
  device_id text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C" NOT NULL,
  up_to bigint NOT NULL
);

CREATE TABLE device_gateway.artifact_pieces (
  upload uuid NOT NULL,
  start bigint NOT NULL,
  content bytea NOT NULL
);

CREATE TABLE device_gateway.artifact_uploads (
  upload uuid NOT NULL,
  last_piece_at timestamp with time zone NOT NULL
);

CREATE TABLE device_gateway.artifacts (
  sha256 text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  upload uuid NOT NULL
);

CREATE TABLE device_gateway.blocked_ids (
  device_id text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.budget_tries (
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  reservation_id text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.changes (
  id bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE device_gateway.device_activity (
  device_id text COLLATE "C" NOT NULL,
  number integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  last_seen_at bigint,
  last_telemetry_at bigint,
  ota_fingerprint text,
  ota_standing text,
  shape_generation integer DEFAULT 0 NOT NULL
) WITH (fillfactor=70);

CREATE TABLE device_gateway.device_commands (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  command_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  payload text COLLATE "C" NOT NULL,
  sent_by text COLLATE "C" NOT NULL,
  sent_at bigint NOT NULL,
  request_key text COLLATE "C",
  expires_at bigint NOT NULL,
  answer_within_ms bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  delivered_at bigint,
  due_at bigint,
  ended_at bigint,
  answer text COLLATE "C",
  answered_at bigint
);

CREATE TABLE device_gateway.device_metadata (
  device_id text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.device_metadata_index (
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.device_updates (
  device_id text COLLATE "C" NOT NULL,
  release_id bigint NOT NULL,
  state text NOT NULL,
  from_version text NOT NULL,
  offered_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  attempts text NOT NULL,
  attempt_served boolean NOT NULL,
  failures bigint NOT NULL,
  outcome text,
  outcome_round bigint
);

CREATE TABLE device_gateway.devices (
  device_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  hardware_id text NOT NULL,
  firmware_version text NOT NULL,
  target_hardware text NOT NULL,
  hardware_platform text,
  hardware_model text,
  board_profile text,
  fingerprint_hash text,
  capabilities text NOT NULL,
  claim_code_hash text,
  claim_code_spent boolean NOT NULL,
  secret_hash text NOT NULL,
  credential_epoch bigint NOT NULL,
  credential_issued_at bigint NOT NULL,
  pending_secret_hash text,
  pending_epoch bigint,
  pending_issued_at bigint,
  config_overrides text NOT NULL,
  config_revision bigint NOT NULL,
  name text,
  owner_id text,
  claimed_at bigint,
  visible_from bigint,
  owned_before boolean NOT NULL,
  re_enrolment_until bigint,
  registered_at bigint NOT NULL,
  first_used_at bigint,
  revoked_at bigint,
  ota_channel text NOT NULL,
  pinned_version text,
  ota_command text,
  pending_is_rotation boolean DEFAULT false NOT NULL,
  bench_mode boolean DEFAULT false NOT NULL,
  commands_waiting boolean DEFAULT false NOT NULL,
  ota_command_open boolean DEFAULT false NOT NULL
);

CREATE TABLE device_gateway.followers (
  name text COLLATE "C" NOT NULL,
  cursor text COLLATE "C" NOT NULL,
  holder text COLLATE "C",
  lease_until bigint NOT NULL
);

CREATE TABLE device_gateway.imported_events (
  cell integer NOT NULL,
  up_to bigint NOT NULL
);

CREATE TABLE device_gateway.key_check (
  id integer NOT NULL,
  value text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.metric_descriptions (
  target_hardware text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.ota_events (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
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

CREATE TABLE device_gateway.ota_events_erased (
  device_id text COLLATE "C" NOT NULL,
  up_to bigint NOT NULL
);

CREATE TABLE device_gateway.pruned_changes (
  up_to bigint NOT NULL
);

CREATE TABLE device_gateway.pruned_events (
  up_to bigint NOT NULL
);

CREATE TABLE device_gateway.releases (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  revision bigint NOT NULL,
  version text NOT NULL,
  target_hardware text NOT NULL,
  released_at text NOT NULL,
  sha256 text NOT NULL,
  size bigint NOT NULL,
  signature text NOT NULL,
  signing_key_id text NOT NULL,
  signature_algorithm text NOT NULL,
  external_url text,
  rollout_channel text NOT NULL,
  rollout_percent double precision NOT NULL,
  mandatory boolean NOT NULL,
  notes text NOT NULL,
  min_version text,
  status text NOT NULL,
  has_image boolean NOT NULL,
  halted_at bigint,
  created_at bigint NOT NULL,
  activated_at bigint
);

CREATE TABLE device_gateway.replica_mark (
  id integer NOT NULL,
  mark bigint NOT NULL,
  lineage text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.rollout_tallies (
  release_id bigint NOT NULL,
  round bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL
);

CREATE TABLE device_gateway.schema_version (
  version integer NOT NULL
);

CREATE TABLE device_gateway.security_events (
  id bigint NOT NULL,
  kind text NOT NULL,
  at bigint NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  request_id text,
  client_address text,
  details text NOT NULL
);

CREATE TABLE device_gateway.telemetry (
  "position" bigint NOT NULL,
  at bigint NOT NULL,
  received_at bigint NOT NULL,
  seq bigint,
  device integer NOT NULL,
  shape integer,
  timed boolean NOT NULL,
  content bytea NOT NULL
) PARTITION BY RANGE (at);

CREATE TABLE device_gateway.telemetry_crowds (
  device integer NOT NULL,
  at bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  seq bigint
);

CREATE TABLE device_gateway.telemetry_erased (
  device integer NOT NULL
);

CREATE TABLE device_gateway.telemetry_keys (
  device integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  expires_at bigint NOT NULL,
  verdicts text NOT NULL,
  memo text NOT NULL
);

CREATE TABLE device_gateway.telemetry_marks (
  pruned_before bigint NOT NULL
);

CREATE TABLE device_gateway.telemetry_open_hours (
  device integer NOT NULL,
  hour bigint NOT NULL
);

CREATE TABLE device_gateway.telemetry_refusals (
  device_id text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL
);

CREATE TABLE device_gateway.telemetry_rollups (
  device integer NOT NULL,
  hour bigint NOT NULL,
  shape integer,
  content bytea NOT NULL
);

CREATE TABLE device_gateway.telemetry_shape_uses (
  device integer NOT NULL,
  shape integer NOT NULL,
  kind text NOT NULL,
  used_to bigint NOT NULL
);

CREATE TABLE device_gateway.telemetry_shapes (
  id integer DEFAULT (1 + (floor((random() * (2147483647)::double precision)))::integer) NOT NULL,
  skeleton text NOT NULL,
  device integer,
  owner_id text COLLATE "C"
);

CREATE TABLE device_gateway.webhook_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.webhook_deliveries (
  endpoint_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  is_dead boolean NOT NULL,
  content text COLLATE "C" NOT NULL
);

CREATE TABLE device_gateway.webhooks (
  id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  failing_since bigint,
  content text COLLATE "C" NOT NULL
);

ALTER TABLE device_gateway.alert_notifications ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.alert_rules ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.alert_watches ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.alerts ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.alerts_erased ADD PRIMARY KEY (device_id, owner_id);

ALTER TABLE device_gateway.artifact_pieces ADD PRIMARY KEY (upload, start);

ALTER TABLE device_gateway.artifact_uploads ADD PRIMARY KEY (upload);

ALTER TABLE device_gateway.artifacts ADD PRIMARY KEY (sha256);

ALTER TABLE device_gateway.blocked_ids ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.budget_tries ADD PRIMARY KEY (key, at, reservation_id);

ALTER TABLE device_gateway.changes ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.device_activity ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.device_activity ADD UNIQUE (number);

ALTER TABLE device_gateway.device_commands ADD PRIMARY KEY (number);

ALTER TABLE device_gateway.device_metadata ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.device_metadata_index ADD PRIMARY KEY (key, value, device_id);

ALTER TABLE device_gateway.device_updates ADD PRIMARY KEY (device_id, release_id);

ALTER TABLE device_gateway.devices ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.followers ADD PRIMARY KEY (name);

ALTER TABLE device_gateway.imported_events ADD PRIMARY KEY (cell);

ALTER TABLE device_gateway.key_check ADD CHECK ((id = 1));

ALTER TABLE device_gateway.key_check ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.metric_descriptions ADD PRIMARY KEY (target_hardware);

ALTER TABLE device_gateway.ota_events ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.ota_events_erased ADD PRIMARY KEY (device_id);

ALTER TABLE device_gateway.releases ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.replica_mark ADD CHECK ((id = 1));

ALTER TABLE device_gateway.replica_mark ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.rollout_tallies ADD PRIMARY KEY (release_id);

ALTER TABLE device_gateway.security_events ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.telemetry_erased ADD PRIMARY KEY (device);

ALTER TABLE device_gateway.telemetry_keys ADD PRIMARY KEY (device, key);

ALTER TABLE device_gateway.telemetry_open_hours ADD PRIMARY KEY (device, hour);

ALTER TABLE device_gateway.telemetry_refusals ADD PRIMARY KEY (device_id, code);

ALTER TABLE device_gateway.telemetry_rollups ADD PRIMARY KEY (device, hour);

ALTER TABLE device_gateway.telemetry_shape_uses ADD PRIMARY KEY (device, shape, kind);

ALTER TABLE device_gateway.telemetry_shapes ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.webhook_attempts ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.webhook_deliveries ADD PRIMARY KEY (endpoint_id, message_id);

ALTER TABLE device_gateway.webhooks ADD PRIMARY KEY (id);

ALTER TABLE device_gateway.telemetry_shape_uses ADD FOREIGN KEY (shape) REFERENCES device_gateway.telemetry_shapes(id);

CREATE INDEX alert_notifications_by_alert ON device_gateway.alert_notifications USING btree (alert_id);

CREATE INDEX alert_notifications_by_device ON device_gateway.alert_notifications USING btree (device_id);

CREATE INDEX alert_notifications_by_owner ON device_gateway.alert_notifications USING btree (owner_id, due_at, id);

CREATE INDEX alert_notifications_due ON device_gateway.alert_notifications USING btree (due_at, id);

CREATE INDEX alert_rules_by_device ON device_gateway.alert_rules USING btree (device_id) WHERE (device_id IS NOT NULL);

CREATE INDEX alert_rules_by_owner ON device_gateway.alert_rules USING btree (owner_id, id);

CREATE INDEX alerts_by_device ON device_gateway.alerts USING btree (device_id, fired_at, id);

CREATE INDEX alerts_by_end ON device_gateway.alerts USING btree (cleared_at, id) WHERE (cleared_at IS NOT NULL);

CREATE INDEX alerts_by_owner ON device_gateway.alerts USING btree (owner_id, fired_at, id);

CREATE INDEX alerts_by_rule ON device_gateway.alerts USING btree (rule_id, subject, fired_at, id);

CREATE UNIQUE INDEX alerts_firing ON device_gateway.alerts USING btree (subject, rule_id) WHERE (cleared_at IS NULL);

CREATE INDEX alerts_firing_by_owner ON device_gateway.alerts USING btree (owner_id, fired_at, id) WHERE (cleared_at IS NULL);

CREATE INDEX budget_tries_by_reservation ON device_gateway.budget_tries USING btree (reservation_id);

CREATE INDEX budget_tries_by_time ON device_gateway.budget_tries USING btree (at, reservation_id);

CREATE INDEX changes_by_time ON device_gateway.changes USING btree (at, id);

CREATE INDEX device_commands_by_device ON device_gateway.device_commands USING btree (device_id, number);

CREATE INDEX device_commands_due ON device_gateway.device_commands USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX device_commands_ended ON device_gateway.device_commands USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX device_metadata_index_by_device ON device_gateway.device_metadata_index USING btree (device_id);

CREATE INDEX device_updates_at_rest ON device_gateway.device_updates USING btree (updated_at) WHERE (NOT (state = ANY (ARRAY['downloading'::text, 'downloaded'::text, 'verified'::text, 'installing'::text, 'rebooting'::text])));

CREATE INDEX device_updates_by_state ON device_gateway.device_updates USING btree (release_id, state);

CREATE INDEX device_updates_under_way ON device_gateway.device_updates USING btree (updated_at) WHERE (state = ANY (ARRAY['downloading'::text, 'downloaded'::text, 'verified'::text, 'installing'::text, 'rebooting'::text]));

CREATE INDEX devices_by_hardware ON device_gateway.devices USING btree (target_hardware COLLATE "C", device_id);

CREATE INDEX devices_by_name ON device_gateway.devices USING btree (name COLLATE "C", device_id) WHERE (name IS NOT NULL);

CREATE INDEX devices_by_owner ON device_gateway.devices USING btree (owner_id, device_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX devices_by_owner_text ON device_gateway.devices USING btree (owner_id COLLATE "C", device_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX devices_by_version ON device_gateway.devices USING btree (firmware_version COLLATE "C", device_id);

CREATE INDEX devices_revoked ON device_gateway.devices USING btree (device_id) WHERE (revoked_at IS NOT NULL);

CREATE INDEX devices_unclaimed ON device_gateway.devices USING btree (device_id) WHERE (owner_id IS NULL);

CREATE INDEX devices_unused ON device_gateway.devices USING btree (GREATEST(registered_at, credential_issued_at, pending_issued_at), registered_at) WHERE ((first_used_at IS NULL) AND (owner_id IS NULL) AND (revoked_at IS NULL));

CREATE INDEX ota_events_by_device ON device_gateway.ota_events USING btree (device_id, id);

CREATE INDEX releases_active ON device_gateway.releases USING btree (id) WHERE (status = 'active'::text);

CREATE UNIQUE INDEX releases_by_version ON device_gateway.releases USING btree (target_hardware, version) WHERE ((status <> 'withdrawn'::text) OR (activated_at IS NOT NULL));

CREATE INDEX security_events_by_actor ON device_gateway.security_events USING btree (actor, kind, id);

CREATE INDEX security_events_by_device ON device_gateway.security_events USING btree (device_id, kind, id);

CREATE INDEX security_events_by_device_and_actor ON device_gateway.security_events USING btree (device_id, actor, kind, id);

CREATE INDEX security_events_by_kind ON device_gateway.security_events USING btree (kind, id);

CREATE INDEX telemetry_by_arrival ON ONLY device_gateway.telemetry USING brin ("position", received_at) WITH (pages_per_range='32', autosummarize='on');

CREATE INDEX telemetry_by_position ON ONLY device_gateway.telemetry USING btree ("position");

CREATE INDEX telemetry_by_time ON ONLY device_gateway.telemetry USING btree (device, at, "position");

CREATE INDEX telemetry_crowds_by_digest ON device_gateway.telemetry_crowds USING btree (device, at, digest, COALESCE(seq, '-9007199254740993'::bigint));

CREATE INDEX telemetry_crowds_by_time ON device_gateway.telemetry_crowds USING btree (at);

CREATE INDEX telemetry_keys_by_expiry ON device_gateway.telemetry_keys USING btree (expires_at);

CREATE INDEX telemetry_open_hours_by_hour ON device_gateway.telemetry_open_hours USING btree (hour);

CREATE INDEX telemetry_rollups_by_hour ON device_gateway.telemetry_rollups USING btree (hour);

CREATE INDEX telemetry_shape_uses_by_end ON device_gateway.telemetry_shape_uses USING btree (kind, used_to);

CREATE INDEX telemetry_shape_uses_by_shape ON device_gateway.telemetry_shape_uses USING btree (shape);

CREATE INDEX telemetry_shapes_by_introducer ON device_gateway.telemetry_shapes USING btree (owner_id, device);

CREATE UNIQUE INDEX telemetry_shapes_by_skeleton ON device_gateway.telemetry_shapes USING btree (md5(skeleton));

CREATE INDEX webhook_attempts_by_endpoint ON device_gateway.webhook_attempts USING btree (endpoint_id, id);

CREATE INDEX webhook_deliveries_in_order ON device_gateway.webhook_deliveries USING btree (endpoint_id, is_dead, event_id, message_id);

ALTER TABLE device_gateway.pruned_changes REPLICA IDENTITY FULL;

ALTER TABLE device_gateway.pruned_events REPLICA IDENTITY FULL;

ALTER TABLE device_gateway.schema_version REPLICA IDENTITY FULL;

ALTER TABLE device_gateway.telemetry REPLICA IDENTITY FULL;

ALTER TABLE device_gateway.telemetry_crowds REPLICA IDENTITY FULL;

ALTER TABLE device_gateway.telemetry_marks REPLICA IDENTITY FULL;

CREATE OR REPLACE FUNCTION device_gateway.add_telemetry_shapes(skeletons text[], devices integer[], ends bigint[], use_kind text, per_device bigint, per_unclaimed_device bigint, unclaimed bigint, per_owner bigint, claimed bigint)
 RETURNS TABLE(place integer, id integer)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  owner text;
  unclaimed_count bigint;
  claimed_count bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(17483, 0);
  FOR n IN 1 .. cardinality(skeletons) LOOP
    place := n;
    SELECT s.id INTO id FROM device_gateway.telemetry_shapes AS s
    WHERE md5(s.skeleton) = md5(skeletons[n]) AND s.skeleton = skeletons[n];
    IF id IS NOT NULL THEN
      RETURN NEXT;
      CONTINUE;
    END IF;
    CONTINUE WHEN per_device <= (SELECT count(*) FROM device_gateway.telemetry_shape_uses AS u
      WHERE u.device = devices[n]);
    SELECT d.owner_id INTO owner
    FROM device_gateway.device_activity AS a JOIN device_gateway.devices AS d USING (device_id)
    WHERE a.number = devices[n];
    CONTINUE WHEN NOT FOUND;
    IF owner IS NULL THEN
      CONTINUE WHEN per_unclaimed_device <= (SELECT count(*) FROM device_gateway.telemetry_shapes AS s
        WHERE s.owner_id IS NULL AND s.device = devices[n]);
      unclaimed_count := coalesce(unclaimed_count,
        (SELECT count(*) FROM device_gateway.telemetry_shapes AS s WHERE s.owner_id IS NULL));
      CONTINUE WHEN unclaimed <= unclaimed_count;
    ELSE
      CONTINUE WHEN per_owner <= (SELECT count(*) FROM device_gateway.telemetry_shapes AS s
        WHERE s.owner_id = owner);
      claimed_count := coalesce(claimed_count,
        (SELECT count(*) FROM device_gateway.telemetry_shapes AS s WHERE s.owner_id IS NOT NULL));
      CONTINUE WHEN claimed <= claimed_count;
    END IF;
    -- Nothing is inserted where another skeleton has the same digest.
    INSERT INTO device_gateway.telemetry_shapes AS s (skeleton, device, owner_id)
    VALUES (skeletons[n], devices[n], owner)
    ON CONFLICT (md5(skeleton)) DO NOTHING RETURNING s.id INTO id;
    CONTINUE WHEN id IS NULL;
    INSERT INTO device_gateway.telemetry_shape_uses (device, shape, kind, used_to)
    VALUES (devices[n], id, use_kind, ends[n]);
    unclaimed_count := unclaimed_count + CASE WHEN owner IS NULL THEN 1 ELSE 0 END;
    claimed_count := claimed_count + CASE WHEN owner IS NULL THEN 0 ELSE 1 END;
    RETURN NEXT;
  END LOOP;
END $function$
;

CREATE OR REPLACE FUNCTION device_gateway.clear_telemetry_partition(day bigint, received_from bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
DECLARE
  name text := 'telemetry_' || replace(day::text, '-', 'm');
  kept bigint;
BEGIN
  EXECUTE format('LOCK TABLE device_gateway.%I IN ACCESS EXCLUSIVE MODE', name);
  EXECUTE format(
    'CREATE TEMP TABLE late_telemetry ON COMMIT DROP AS SELECT * FROM device_gateway.%I WHERE received_at >= %s',
    name, received_from);
  EXECUTE format('TRUNCATE device_gateway.%I', name);
  EXECUTE format('INSERT INTO device_gateway.%I SELECT * FROM pg_temp.late_telemetry', name);
  GET DIAGNOSTICS kept = ROW_COUNT;
  RETURN kept;
END $function$
;

CREATE OR REPLACE FUNCTION device_gateway.drop_telemetry_partition(day bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100ms'
AS $function$
DECLARE
  name text := 'telemetry_' || replace(day::text, '-', 'm');
  has_records boolean;
BEGIN
  EXECUTE format('LOCK TABLE device_gateway.%I IN ACCESS EXCLUSIVE MODE', name);
  EXECUTE format('SELECT EXISTS (SELECT FROM device_gateway.%I)', name) INTO has_records;
  IF has_records THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE device_gateway.%I', name);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN RETURN false;
END $function$
;

CREATE OR REPLACE FUNCTION device_gateway.make_telemetry_partition(day bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  name text := 'telemetry_' || replace(day::text, '-', 'm');
BEGIN
  PERFORM pg_advisory_xact_lock(17482, 0);
  -- Not by to_regclass(), which may answer from before the wait for the lock.
  IF EXISTS (SELECT FROM pg_tables WHERE schemaname = 'device_gateway' AND tablename = name) THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE device_gateway.%I (LIKE device_gateway.telemetry)', name);
  EXECUTE format('ALTER TABLE device_gateway.%I REPLICA IDENTITY FULL', name);
  EXECUTE format(
    'ALTER TABLE device_gateway.telemetry ATTACH PARTITION device_gateway.%I FOR VALUES FROM (%s) TO (%s)',
    name, day * day_ms, (day + 1) * day_ms);
END $function$
;

CREATE OR REPLACE FUNCTION device_gateway.prune_events(pruned_kind text, before bigint, most bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  gone bigint;
  highest bigint;
BEGIN
  IF pruned_kind NOT IN ('update.moved', 'alert.firing', 'alert.cleared', 'device.online', 'device.offline') THEN
    RAISE EXCEPTION 'Events of kind % are in the audit trail and are never deleted.', pruned_kind;
  END IF;
  WITH oldest AS MATERIALIZED (
    SELECT id, at FROM device_gateway.security_events
    WHERE (kind, id) > (pruned_kind, 0) AND (kind, id) <= (pruned_kind, 9223372036854775807)
    ORDER BY kind, id LIMIT most
  ), deleted AS (
    DELETE FROM device_gateway.security_events
    WHERE id IN (SELECT id FROM oldest WHERE oldest.at < before) RETURNING id
  )
  SELECT count(*), max(id) INTO gone, highest FROM deleted;
  UPDATE device_gateway.pruned_events SET up_to = greatest(up_to, highest) WHERE gone > 0;
  RETURN gone;
END $function$
;

CREATE OR REPLACE FUNCTION device_gateway.reserve_try(reservation text, now bigint, keys text[], limits bigint[], windows bigint[], refuse boolean[], spare_keys text[], spare_windows bigint[], spare_below bigint[], OUT retry_at bigint, OUT spent bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
  counted text[];
BEGIN
  -- There every statement would see what was there before the wait for the locks.
  IF current_setting('transaction_isolation') = 'repeatable read' THEN
    RAISE 'Budgets need default_transaction_isolation = read committed (or serializable).';
  END IF;
  -- In one order everywhere, so that two tries never wait for each other.
  PERFORM pg_advisory_xact_lock(17481, hash)
  FROM (SELECT DISTINCT hashtext(key) AS hash FROM unnest(keys || spare_keys) AS key
    WHERE key IS NOT NULL ORDER BY hash) AS hashes;
  spent := '{}';
  IF EXISTS (SELECT FROM device_gateway.budget_tries WHERE reservation_id = reservation) THEN
    RETURN;
  END IF;
  -- Of the newest tries, as many as are allowed: if there are so many, the oldest must leave first.
  SELECT max(least(b.free_at, b.spared_at)) FILTER (WHERE b.refuse AND b.free_at IS NOT NULL
      AND (b.spare_key IS NULL OR b.spared_at IS NOT NULL)),
    coalesce(array_agg(b.key) FILTER (WHERE b.refuse OR b.free_at IS NULL), '{}'),
    coalesce(array_agg(b.place ORDER BY b.place) FILTER (WHERE b.count + 1 = b.bound), '{}')
  INTO retry_at, counted, spent
  FROM (
    SELECT w.*, own.count, CASE WHEN own.count = w.bound THEN own.oldest + w.length END AS free_at,
      CASE WHEN spare.count = w.spare_below THEN spare.oldest + w.spare_length END AS spared_at
    FROM unnest(keys, limits, windows, refuse, spare_keys, spare_windows, spare_below)
      WITH ORDINALITY AS w (key, bound, length, refuse, spare_key, spare_length, spare_below, place),
    LATERAL (SELECT count(*), min(at) AS oldest FROM (
      SELECT t.at FROM device_gateway.budget_tries AS t WHERE t.key = w.key AND t.at > now - w.length
      ORDER BY t.at DESC LIMIT w.bound) AS newest) AS own,
    LATERAL (SELECT count(*), min(at) AS oldest FROM (
      SELECT t.at FROM device_gateway.budget_tries AS t
      WHERE t.key = w.spare_key AND t.at > now - w.spare_length
      ORDER BY t.at DESC LIMIT w.spare_below) AS newest) AS spare
  ) AS b;
  IF retry_at IS NOT NULL THEN
    spent := '{}';
    RETURN;
  END IF;
  INSERT INTO device_gateway.budget_tries (key, at, reservation_id)
  SELECT unnest(counted), now, reservation;
END $function$
;
