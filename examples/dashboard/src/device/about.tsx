import type { DeviceSummary } from "@device-gateway/core/contract";
import { formatDate, formatDuration } from "../ui/format.js";
import { Card } from "../ui/parts.js";

/** Shows the facts about a device that rarely change. */
export function About({ device }: { device: DeviceSummary }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Device ID", device.id],
    ["Hardware", device.targetHardware],
    ["Firmware", device.firmwareVersion],
    ["Update channel", device.otaChannel],
    ["Reports every", formatDuration(device.expectedIntervalSeconds)],
    [
      device.isOwner ? "Yours since" : "Claimed",
      device.claimedAt === null ? "not claimed" : formatDate(device.claimedAt),
    ],
  ];
  return (
    <Card title="About">
      <dl class="facts">
        {facts.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </Card>
  );
}
