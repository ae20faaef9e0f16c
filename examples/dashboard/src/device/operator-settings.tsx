import { call } from "../api/call.js";
import { Skeleton, ErrorNotice } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";
import type { SettingsProps } from "./settings-props.js";
import { DeviceAccess } from "./device-access.js";
import { OtaTarget } from "./ota-target.js";

/** What only operators see of a device, and do to it. */
export function OperatorSettings({ device, reload }: SettingsProps) {
  const params = { deviceId: device.id };
  const inspected = useLoad(device.id, (signal) => call("inspectDevice", { params, signal }));
  const again = () => {
    inspected.reload();
    reload();
  };
  const found = inspected.value?.device;
  if (inspected.failure) return <ErrorNotice failure={inspected.failure} retry={inspected.reload} />;
  if (found === undefined) return <Skeleton height={320} />;
  return (
    <>
      <OtaTarget
        key={`${found.otaChannel} ${found.pinnedVersion}`}
        device={device}
        pinnedVersion={found.pinnedVersion}
        reload={again}
      />
      <DeviceAccess device={device} revokedAt={found.revokedAt} reload={again} />
    </>
  );
}
