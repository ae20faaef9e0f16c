/** Version 7: an operator can mark a device whose failed updates block and halt nothing. */
export const benchMode = `
ALTER TABLE device_gateway.devices ADD COLUMN bench_mode boolean NOT NULL DEFAULT false;
`;
