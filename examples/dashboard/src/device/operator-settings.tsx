import { call } from "../api/call.js";
import { Skeleton, Trouble } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";
import type { SettingsProps } from "./settings-props.js";
import { ShutOut } from "./shut-out.js";
import { OtaTarget } from "./steering.js";

/** What only operators see of a device, and do to it. */
export function OperatorSettings({ device, reload }: SettingsProps) {
  const params = { deviceId: device.id };
  const inspected = useLoad(device.id, (signal) => call("inspectDevice", { params, signal }));
  const again = () => {
    inspected.reload();
    reload();
  };
  const found = inspected.value?.device;
  if (inspected.failure) return <Trouble failure={inspected.failure} retry={inspected.reload} />;
  if (found === undefined) return <Skeleton height={320} />;
  return (
    <>
      <OtaTarget
        key={`${found.otaChannel} ${found.pinnedVersion}`}
        device={device}
        pinnedVersion={found.pinnedVersion}
        reload={again}
      />
      <ShutOut device={device} revokedAt={found.revokedAt} reload={again} />
    </>
  );
}
