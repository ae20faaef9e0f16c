import { call } from "../../api/call.js";
import { ErrorNotice, Skeleton } from "../../ui/parts.js";
import { useLoad } from "../../ui/use-load.js";
import { DeviceAccess } from "./device-access.js";
import { EraseDevice } from "./erase-device.js";
import { MetricSettings } from "./metric-settings.js";
import { OtaTarget } from "./ota-target.js";
import type { SettingsProps } from "./settings-props.js";

/** The settings of a device that only operators see. */
export function OperatorSettings({ device, reload }: SettingsProps) {
  const params = { deviceId: device.id };
  const inspected = useLoad(device.id, (signal) => call("inspectDevice", { params, signal }));
  const reloadAll = () => {
    inspected.reload();
    reload();
  };
  const found = inspected.value?.device;
  const notice = <ErrorNotice failure={inspected.failure} retry={inspected.reload} />;
  if (found === undefined) return inspected.failure ? notice : <Skeleton height={320} />;
  // A reload that fails must not remove the forms, because they may hold unsaved changes.
  return (
    <>
      {notice}
      <OtaTarget
        key={`${found.otaChannel} ${found.pinnedVersion} ${found.benchMode}`}
        device={device}
        found={found}
        reload={reloadAll}
      />
      <MetricSettings deviceId={device.id} targetHardware={device.targetHardware} />
      <DeviceAccess device={device} revokedAt={found.revokedAt} reload={reloadAll} />
      <EraseDevice device={device} />
    </>
  );
}
