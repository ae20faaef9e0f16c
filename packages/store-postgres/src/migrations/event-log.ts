/** Version 17: pages of some kinds of events, and what was deleted of the event log. */
export const eventLog = `
CREATE INDEX security_events_by_kind ON device_gateway.security_events (kind, id);

CREATE TABLE device_gateway.pruned_events (
  up_to bigint NOT NULL -- the highest id that was pruned, in the only row
);
INSERT INTO device_gateway.pruned_events (up_to) VALUES (0);

-- The role of a server may not delete events. This function deletes those that are not in the audit trail.
CREATE FUNCTION device_gateway.prune_events(pruned_kind text, before bigint, most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone bigint;
  highest bigint;
BEGIN
  IF pruned_kind NOT IN ('update.moved', 'alert.firing', 'alert.cleared', 'device.online', 'device.offline') THEN
    RAISE EXCEPTION 'Events of kind % are in the audit trail and are never deleted.', pruned_kind;
  END IF;
  WITH oldest AS MATERIALIZED (
    SELECT id, at FROM device_gateway.security_events
    WHERE kind = pruned_kind ORDER BY id LIMIT most
  ), deleted AS (
    DELETE FROM device_gateway.security_events
    WHERE id IN (SELECT id FROM oldest WHERE oldest.at < before) RETURNING id
  )
  SELECT count(*), max(id) INTO gone, highest FROM deleted;
  UPDATE device_gateway.pruned_events SET up_to = greatest(up_to, highest) WHERE gone > 0;
  RETURN gone;
END $$;

REVOKE EXECUTE ON FUNCTION device_gateway.prune_events FROM PUBLIC;
`;
