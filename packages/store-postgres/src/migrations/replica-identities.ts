import { lockClasses } from "../database/lock-numbers.js";

/**
 * Version 22: every table has a replica identity, without which Citus does not move a schema to another node. The tables
 * without a primary key, and each partition, identify a row by all its columns.
 */
export const replicaIdentities = `
ALTER TABLE device_gateway.pruned_changes REPLICA IDENTITY FULL;
ALTER TABLE device_gateway.pruned_events REPLICA IDENTITY FULL;
ALTER TABLE device_gateway.schema_version REPLICA IDENTITY FULL;
ALTER TABLE device_gateway.telemetry REPLICA IDENTITY FULL;
ALTER TABLE device_gateway.telemetry_crowds REPLICA IDENTITY FULL;
ALTER TABLE device_gateway.telemetry_marks REPLICA IDENTITY FULL;

DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'device_gateway.telemetry'::regclass
  LOOP EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', partition); END LOOP;
END $$;

CREATE OR REPLACE FUNCTION device_gateway.make_telemetry_partition(day bigint) RETURNS void
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
  EXECUTE format('ALTER TABLE device_gateway.%I REPLICA IDENTITY FULL', name);
  EXECUTE format(
    'ALTER TABLE device_gateway.telemetry ATTACH PARTITION device_gateway.%I FOR VALUES FROM (%s) TO (%s)',
    name, day * day_ms, (day + 1) * day_ms);
END $$;
`;
