/**
 * Version 7: a pending credential records whether a rotation created it. Earlier pending
 * credentials count as created by a registration, which never invalidates a credential in use.
 */
export const markedRotations = `
ALTER TABLE devices ADD COLUMN pending_is_rotation INTEGER NOT NULL DEFAULT 0; -- 0 if there is none
`;
