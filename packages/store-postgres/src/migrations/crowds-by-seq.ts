/**
 * Version 26: finds a digest without reading those of records with the same content and another `seq`. The number stands
 * for no `seq`; it is outside the range of `seq`.
 */
export const crowdsBySeq = `
DROP INDEX device_gateway.telemetry_crowds_by_digest;

CREATE INDEX telemetry_crowds_by_digest ON device_gateway.telemetry_crowds
  (device, at, digest, coalesce(seq, -9007199254740993));
`;
