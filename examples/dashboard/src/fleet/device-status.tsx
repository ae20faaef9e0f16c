import type { DeviceSummary } from "@device-gateway/core/contract";
import * as fleetText from "../text/fleet.js";
import { Status } from "../ui/parts.js";

interface DeviceStatusProps {
  readonly device: DeviceSummary;
  readonly online: boolean;
  /** Whether the status is current. False while the server does not answer. */
  readonly known?: boolean;
}

export function DeviceStatus({ device, online, known = true }: DeviceStatusProps) {
  if (device.revokedAt !== undefined) return <Status tone="bad">{fleetText.revoked}</Status>;
  if (!known) return <Status tone="plain">{fleetText.statusUnknown}</Status>;
  return (
    <Status tone={online ? "good" : "plain"}>
      {online ? fleetText.online : fleetText.offline}
    </Status>
  );
}
