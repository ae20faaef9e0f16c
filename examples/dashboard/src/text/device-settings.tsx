export const invalidJson = "The settings are not valid JSON. Check the quotes and commas.";
export const notAnObject = "The settings must be a JSON object. Begin with { and end with }.";
export const configurationSaved = "Saved. The gateway applies it with its next record.";
export const nothingToSave = "Nothing to save.";
export const recordIntervalHint = "10 to 3600. Less frequent records save power.";
export const firmwareUpdatesHint = "Offer new releases to this device.";
export const allSettings = "All settings of this device (JSON)";
export const ownSettings = "Settings that differ from the defaults";
export const ownSettingsHint = "Remove a setting to restore its default.";
export const saveConfiguration = "Save configuration";
export const conflictHint = (
  <>
    <strong>Someone else changed the configuration.</strong> Your changes are not saved.
  </>
);
export const conflictOf = (name: string, saved: string, yours: string) =>
  `${name}: saved ${saved}, yours ${yours}`;
export const defaultValue = "default";
export const overwriteWithMine = "Overwrite with mine";
export const discardMine = "Discard mine";
export const configuration = "Configuration";
export const configurationHint = "The gateway applies changes with its next record.";
export const nameSaved = "Name saved.";
export const name = "Name";
export const nameHint = "The name in your device list.";
export const deviceName = "Device name";
export const saveName = "Save name";
export const erased = (name: string) => `Erased ${name}.`;
export const access = "Access";
export const accessHint =
  "For operators. The server rejects all tokens, secrets and codes of a revoked device within one second.";
export const auditTrailOfDevice = "Audit trail of this device";
export const revokedOn = (revokedAt: string) => `Revoked on ${revokedAt}.`;
export const revokeThisDevice = "Revoke this device";
export const deviceReinstated = "Device reinstated. It may log in again.";
export const reinstateThisDevice = "Reinstate this device";
export const erase = "Erase";
export const eraseCardHint =
  "For operators. Deletes the device with all its readings. You can't undo this.";
export const eraseThisDevice = "Erase this device";
export const confirmRevoking = (name: string) => `Revoke ${name}?`;
export const revokeDevice = "Revoke device";
export const deviceRevoked = "Device revoked.";
export const revokeHint = "The server rejects its requests at once. You can reinstate it later.";
export const confirmErasing = (name: string) => `Erase ${name}?`;
export const eraseDevice = "Erase device";
export const eraseHint =
  "This deletes the device with all its readings, for its owner too. Its events in the audit trail stay, and so does a copy in a time series database. You can't undo this.";
export const blockId = "Block its ID, so that it can't register again";
export const followsTheChannel = (otaChannel: string) => `Follows the channel ${otaChannel}.`;
export const pinnedTo = (pin: string) => `Pinned to ${pin}.`;
export const noReleaseBlocked = "No release is blocked on this device.";
export const updateTarget = "Update target";
export const updateTargetHint =
  "For operators. Use a separate channel to try a release on a few devices, or pin one device to a version.";
export const channel = "Channel";
export const channelHint = "The device is offered releases of this channel only.";
export const pinnedVersion = "Pinned version";
export const notPinned = "not pinned";
export const pinnedVersionHint =
  "The only version offered, whatever its channel and share. Leave empty for no pin.";
export const testBench =
  "On a test bench: failed updates of this device neither block a release on it nor halt a rollout";
export const save = "Save";
export const clearBlocks = "Clear blocks after failed updates";
export const afterAFactoryReset = "After a factory reset";
export const factoryResetHint =
  "A gateway that lost its secret can't log in. Allow it to register again with the code on its label, once within 15 minutes.";
export const mayRegisterUntil = (until: string) =>
  `The gateway may register again until ${until}. Switch it on now.`;
export const allowRegistration = "Allow registration";
export const released = (name: string) => `Released ${name}.`;
export const release = "Release";
export const releaseHint =
  "A released device has no owner, and anyone with its code can claim it. You no longer see its readings. The next owner never sees the earlier ones.";
export const releaseThisDevice = "Release this device";
export const confirmRelease = (name: string) => `Release ${name}?`;
export const releaseDevice = "Release device";
export const confirmReleaseHint =
  "This deletes the device's name and configuration, and you lose access to its readings. You can't undo this.";
export const operatorViewHint =
  "Only the owner can rename or release a device. You see it as an operator.";
