import type { DeviceSummary } from "@device-gateway/core/contract";

/** The props that the parts of a device's page share. */
export interface SettingsProps {
  readonly device: DeviceSummary;
  readonly reload: () => void;
}
