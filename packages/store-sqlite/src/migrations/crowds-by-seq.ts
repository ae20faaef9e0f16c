/** Version 22: finds a digest without reading those of records with the same content and another `seq`. */
export const crowdsBySeq = `
DROP INDEX telemetry_crowds_by_digest;

CREATE INDEX telemetry_crowds_by_digest ON telemetry_crowds (device, at, digest, seq);
`;
