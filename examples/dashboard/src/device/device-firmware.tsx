import type { SettingsProps } from "./device-settings.js";
export function DeviceFirmware(_: SettingsProps) {
  return null;
}
