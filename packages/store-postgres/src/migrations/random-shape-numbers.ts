/**
 * A new shape gets a random number. So after a failover that lost shapes, their numbers are not given to other shapes,
 * and a number means the same shape to every process (docs/decisions/0049-failover.md).
 */
export const randomShapeNumbers = `
ALTER TABLE device_gateway.telemetry_shapes
ALTER COLUMN id DROP IDENTITY,
ALTER COLUMN id SET DEFAULT 1 + floor(random() * 2147483647)::integer;
`;
