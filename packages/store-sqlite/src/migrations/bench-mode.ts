/** Version 9: an operator can mark a device whose failed updates block and halt nothing. */
export const benchMode = `
ALTER TABLE devices ADD COLUMN bench_mode INTEGER NOT NULL DEFAULT 0;
`;
