import { lockClasses } from "../database/lock-numbers.js";

/**
 * Version 4: reserves an attempt in one round trip. The function locks the keys first, so it sees
 * everything that others committed before.
 */
export const budgets = `
-- Gives until when the try is refused, or NULL and the places of the budgets that it brings to their limit.
CREATE FUNCTION device_gateway.reserve_try(
  reservation text, now bigint, keys text[], limits bigint[], windows bigint[], refuse boolean[],
  spare_keys text[], spare_windows bigint[], spare_below bigint[],
  OUT retry_at bigint, OUT spent bigint[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  counted text[];
BEGIN
  -- There every statement would see what was there before the wait for the locks.
  IF current_setting('transaction_isolation') = 'repeatable read' THEN
    RAISE 'Budgets need default_transaction_isolation = read committed (or serializable).';
  END IF;
  -- In one order everywhere, so that two tries never wait for each other.
  PERFORM pg_advisory_xact_lock(${lockClasses.budget}, hash)
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
END $$;
`;
