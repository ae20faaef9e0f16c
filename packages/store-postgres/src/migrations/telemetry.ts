import { lockClasses } from "../database/lock-numbers.js";

/**
 * Version 2: telemetry records in daily partitions, roll-ups, and the functions that create and
 * clear partitions.
 */
export const telemetry = `
CREATE SEQUENCE device_gateway.telemetry_positions;

-- Records without their names, which are those of a shape.
CREATE TABLE device_gateway.telemetry (
  position bigint NOT NULL,
  at bigint NOT NULL,
  received_at bigint NOT NULL,
  seq bigint,
  device integer NOT NULL,
  shape integer, -- NULL: the content is JSON text
  timed boolean NOT NULL,
  content bytea NOT NULL
) PARTITION BY RANGE (at);

CREATE INDEX telemetry_by_time ON device_gateway.telemetry (device, at, position);

-- Arrival is the order of the rows as they lie: a few bytes for every 32 pages say which are where.
CREATE INDEX telemetry_by_arrival ON device_gateway.telemetry
USING brin (position, received_at) WITH (pages_per_range = 32, autosummarize = on);

CREATE TABLE device_gateway.telemetry_shapes (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  skeleton text NOT NULL
);

-- A skeleton may be longer than what an index takes.
CREATE UNIQUE INDEX telemetry_shapes_by_skeleton
ON device_gateway.telemetry_shapes (md5(skeleton));

-- Up to when, in epoch milliseconds, a device may use a shape: of receipt for records, else of hours.
CREATE TABLE device_gateway.telemetry_shape_uses (
  device integer NOT NULL,
  shape integer NOT NULL REFERENCES device_gateway.telemetry_shapes,
  kind text NOT NULL, -- record or hour
  used_to bigint NOT NULL,
  PRIMARY KEY (device, shape, kind)
);

CREATE INDEX telemetry_shape_uses_by_shape ON device_gateway.telemetry_shape_uses (shape);

CREATE INDEX telemetry_shape_uses_by_end ON device_gateway.telemetry_shape_uses (kind, used_to);

-- Timed records of instants that have many.
CREATE TABLE device_gateway.telemetry_crowds (
  device integer NOT NULL,
  at bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  seq bigint
);

CREATE INDEX telemetry_crowds_by_digest ON device_gateway.telemetry_crowds (device, at, digest);

CREATE INDEX telemetry_crowds_by_time ON device_gateway.telemetry_crowds (at);

-- Hours with records that are not in their roll-up: still going on, or changed by a late record.
CREATE TABLE device_gateway.telemetry_open_hours (
  device integer NOT NULL,
  hour bigint NOT NULL, -- epoch milliseconds
  PRIMARY KEY (device, hour)
);

CREATE INDEX telemetry_open_hours_by_hour ON device_gateway.telemetry_open_hours (hour);

CREATE TABLE device_gateway.telemetry_rollups (
  device integer NOT NULL,
  hour bigint NOT NULL, -- epoch milliseconds
  shape integer, -- NULL: the content is JSON text
  content bytea NOT NULL,
  PRIMARY KEY (device, hour)
);

CREATE INDEX telemetry_rollups_by_hour ON device_gateway.telemetry_rollups (hour);

CREATE TABLE device_gateway.telemetry_keys (
  device integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  expires_at bigint NOT NULL,
  verdicts text NOT NULL, -- JSON
  memo text NOT NULL,
  PRIMARY KEY (device, key)
);

CREATE INDEX telemetry_keys_by_expiry ON device_gateway.telemetry_keys (expires_at);

CREATE TABLE device_gateway.telemetry_marks (
  pruned_before bigint NOT NULL -- records received before this time may be gone; the only row
);
INSERT INTO device_gateway.telemetry_marks (pruned_before) VALUES (0);

-- Numbers of erased devices, whose rows nobody can reach and that are still to be deleted.
CREATE TABLE device_gateway.telemetry_erased (
  device integer PRIMARY KEY
);

-- Tables are made and emptied by their owner alone; a server's role may have just these done.
CREATE FUNCTION device_gateway.make_telemetry_partition(day bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  day_ms CONSTANT bigint := 86400000;
  name text := 'telemetry_' || replace(day::text, '-', 'm');
BEGIN
  PERFORM pg_advisory_xact_lock(${lockClasses.partition}, 0);
  -- Not by to_regclass(), which may answer from before the wait for the lock.
  IF EXISTS (SELECT FROM pg_tables WHERE schemaname = 'device_gateway' AND tablename = name) THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE device_gateway.%I (LIKE device_gateway.telemetry)', name);
  EXECUTE format(
    'ALTER TABLE device_gateway.telemetry ATTACH PARTITION device_gateway.%I FOR VALUES FROM (%s) TO (%s)',
    name, day * day_ms, (day + 1) * day_ms);
END $$;

-- Empties a partition at once, but for what was received at a time or later; gives what that is.
CREATE FUNCTION device_gateway.clear_telemetry_partition(day bigint, received_from bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
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
END $$;

-- Drops a partition without records. Its lock is on all of telemetry: it waits for a moment at most.
CREATE FUNCTION device_gateway.drop_telemetry_partition(day bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
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
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA device_gateway FROM PUBLIC;
`;
