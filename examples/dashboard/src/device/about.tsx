import type { DeviceSummary } from "@device-gateway/core/contract";
import * as deviceText from "../text/device.js";
import { formatDate, formatDuration } from "../ui/format.js";
import { Card } from "../ui/parts.js";

/** Shows the facts about a device that rarely change. */
export function About({ device }: { device: DeviceSummary }) {
  const facts: readonly (readonly [string, string])[] = [
    [deviceText.deviceId, device.id],
    [deviceText.hardware, device.targetHardware],
    [deviceText.firmware, device.firmwareVersion],
    [deviceText.updateChannel, device.otaChannel],
    [deviceText.reportsEvery, formatDuration(device.expectedIntervalSeconds)],
    [
      device.isOwner ? deviceText.yoursSince : deviceText.claimed,
      device.claimedAt === null ? deviceText.notClaimed : formatDate(device.claimedAt),
    ],
  ];
  return (
    <Card title={deviceText.about}>
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
