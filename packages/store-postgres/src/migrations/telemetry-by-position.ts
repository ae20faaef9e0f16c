/**
 * Version 10: an index by position in the partitions that are created from now on, for readers of all devices. Existing
 * partitions keep `telemetry_by_arrival`, because building an index would block telemetry for minutes; retention drops
 * them.
 */
export const telemetryByPosition = `
CREATE INDEX telemetry_by_position ON ONLY device_gateway.telemetry (position);
`;
