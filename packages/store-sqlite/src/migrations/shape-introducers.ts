/**
 * Version 8: a shape records which device introduced it and for which owner, so that quotas can
 * count shapes (docs/decisions/0027-shape-quotas.md). Earlier shapes count as introduced by
 * unclaimed devices.
 */
export const shapeIntroducers = `
ALTER TABLE telemetry_shapes ADD COLUMN device INTEGER; -- its number; NULL: from before version 8
ALTER TABLE telemetry_shapes ADD COLUMN owner_id TEXT; -- NULL: nobody owned the device

CREATE INDEX telemetry_shapes_by_introducer ON telemetry_shapes (owner_id, device);

CREATE INDEX devices_by_number ON devices (number) WHERE number IS NOT NULL;
`;
