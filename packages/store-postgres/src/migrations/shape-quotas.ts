import { lockClasses } from "../database/lock-numbers.js";

/**
 * Version 6: a shape records which device introduced it and for which owner, so that quotas can
 * count shapes (docs/decisions/0027-shape-quotas.md). Earlier shapes count as introduced by
 * unclaimed devices.
 */
export const shapeQuotas = `
ALTER TABLE device_gateway.telemetry_shapes
ADD COLUMN device integer, -- its number; NULL: from before version 6
ADD COLUMN owner_id text COLLATE "C"; -- NULL: nobody owned the device

CREATE INDEX telemetry_shapes_by_introducer ON device_gateway.telemetry_shapes (owner_id, device);

-- Grows when uses of shapes are dropped: then what processes remember of the device's uses is void.
ALTER TABLE device_gateway.device_activity
ADD COLUMN shape_generation integer NOT NULL DEFAULT 0;

-- Stores skeletons that are new, with a use each, as far as quotas allow; gives the place and the id of
-- each that is stored afterwards. One caller at a time, so that quotas hold whatever others add.
CREATE FUNCTION device_gateway.add_telemetry_shapes(
  skeletons text[], devices integer[], ends bigint[], use_kind text,
  per_device bigint, per_unclaimed_device bigint, unclaimed bigint, per_owner bigint, claimed bigint)
RETURNS TABLE (place integer, id integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  owner text;
  unclaimed_count bigint;
  claimed_count bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(${lockClasses.shapes}, 0);
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
END $$;
`;
