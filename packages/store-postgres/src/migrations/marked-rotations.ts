/**
 * Version 5: of a pending credential it is known whether a rotation made it. What is pending from before
 * counts as a registration's: that takes nothing from any device.
 */
export const markedRotations = `
ALTER TABLE device_gateway.devices
ADD COLUMN pending_is_rotation boolean NOT NULL DEFAULT false; -- false if there is none
`;
