import type { DeviceSummary } from "@device-gateway/core/contract";
import { AlertCards } from "./alert-cards.js";

/** The alerts about a device. An owner manages rules of their own, an operator those of all operators. */
export const DeviceAlerts = ({ device }: { readonly device: DeviceSummary }) => (
  <AlertCards scope={device.isOwner ? "own" : "operator"} device={device} devices={[device]} />
);
