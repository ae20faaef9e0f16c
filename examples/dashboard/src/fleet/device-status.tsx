import type { DeviceSummary } from "@device-gateway/core/contract";
import { Status } from "../ui/parts.js";

interface DeviceStatusProps {
  readonly device: DeviceSummary;
  readonly online: boolean;
  /** Whether the status is current. False while the server does not answer. */
  readonly known?: boolean;
}

export function DeviceStatus({ device, online, known = true }: DeviceStatusProps) {
  if (device.revokedAt !== undefined) return <Status tone="bad">Revoked</Status>;
  if (!known) return <Status tone="plain">Status unknown</Status>;
  return <Status tone={online ? "good" : "plain"}>{online ? "Online" : "Offline"}</Status>;
}
