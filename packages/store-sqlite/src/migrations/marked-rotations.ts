/**
 * Version 7: of a pending credential it is known whether a rotation made it. What is pending from before
 * counts as a registration's: that takes nothing from any device.
 */
export const markedRotations = `
ALTER TABLE devices ADD COLUMN pending_is_rotation INTEGER NOT NULL DEFAULT 0; -- 0 if there is none
`;
