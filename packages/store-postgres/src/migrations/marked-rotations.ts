/**
 * Version 5: a pending credential records whether a rotation created it. Earlier pending
 * credentials count as created by a registration, which never invalidates a credential in use.
 */
export const markedRotations = `
ALTER TABLE device_gateway.devices
ADD COLUMN pending_is_rotation boolean NOT NULL DEFAULT false; -- false if there is none
`;
