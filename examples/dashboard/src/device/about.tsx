import type { DeviceSummary } from "@device-gateway/core/contract";
import { formatDate, formatDuration } from "../ui/format.js";
import { Card } from "../ui/parts.js";

/** The facts of a device that don't change by the minute. */
export function About({ device }: { device: DeviceSummary }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Device id", device.id],
    ["Hardware", device.targetHardware],
    ["Firmware", device.firmwareVersion],
    ["Update channel", device.otaChannel],
    ["Reports every", formatDuration(device.expectedIntervalSeconds)],
    ["Yours since", device.claimedAt === null ? "nobody's yet" : formatDate(device.claimedAt)],
  ];
  return (
    <Card title="About">
      <dl class="facts">
        {facts.map(([name, text]) => (
          <>
            <dt>{name === "Yours since" && !device.isOwner ? "Claimed" : name}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </Card>
  );
}
