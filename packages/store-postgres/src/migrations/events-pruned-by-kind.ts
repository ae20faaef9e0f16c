/**
 * Version 29: events of a kind are pruned in the order of the index by kind. By its id alone, the oldest event of a kind
 * would be searched through the whole audit trail, which is never pruned.
 */
export const eventsPrunedByKind = `
CREATE OR REPLACE FUNCTION device_gateway.prune_events(pruned_kind text, before bigint, most bigint) RETURNS bigint
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
    WHERE (kind, id) > (pruned_kind, 0) AND (kind, id) <= (pruned_kind, 9223372036854775807)
    ORDER BY kind, id LIMIT most
  ), deleted AS (
    DELETE FROM device_gateway.security_events
    WHERE id IN (SELECT id FROM oldest WHERE oldest.at < before) RETURNING id
  )
  SELECT count(*), max(id) INTO gone, highest FROM deleted;
  UPDATE device_gateway.pruned_events SET up_to = greatest(up_to, highest) WHERE gone > 0;
  RETURN gone;
END $$;
`;
