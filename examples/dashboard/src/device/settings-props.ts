import type { DeviceSummary } from "@device-gateway/core/contract";

/** What each part of a device's page works on. */
export interface SettingsProps {
  readonly device: DeviceSummary;
  readonly reload: () => void;
}
