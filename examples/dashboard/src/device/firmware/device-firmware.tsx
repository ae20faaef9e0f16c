import { useEffect } from "preact/hooks";
import { call } from "../../api/call.js";
import * as firmwareText from "../../text/firmware.js";
import { Card, ErrorNotice, Skeleton } from "../../ui/parts.js";
import { repeatWhileVisible } from "../../ui/repeat-while-visible.js";
import { joinFailures, useLoad } from "../../ui/use-load.js";
import type { SettingsProps } from "../settings/settings-props.js";
import { DeviceReleases } from "./device-releases.js";
import { OtaTimeline } from "./ota-timeline.js";
import { UpdateNow } from "./update-now.js";

const refreshMs = 5_000;

interface DeviceFirmwareProps extends SettingsProps {
  /** Reloads the device, unless that is under way. */
  readonly refresh: () => void;
}

export function DeviceFirmware({ device, reload, refresh }: DeviceFirmwareProps) {
  const params = { deviceId: device.id };
  const history = useLoad(device.id, (signal) =>
    call("readOtaHistory", { params, query: { limit: 50 }, signal }),
  );
  const command = useLoad(device.id, (signal) => call("readUpdateCommand", { params, signal }));
  const reloadAll = () => {
    history.reload();
    command.reload();
    reload();
  };
  useEffect(() => {
    // The page may have read the device before a new release was published.
    reload();
    return repeatWhileVisible(() => {
      history.refresh();
      command.refresh();
      refresh();
    }, refreshMs);
  }, [device.id]);
  const events = history.value?.events ?? [];
  return (
    <div class="columns">
      <div class="stack">
        <UpdateNow
          device={device}
          reload={reloadAll}
          command={command.value?.command ?? null}
          events={events}
        />
        <Card title={firmwareText.updateHistory}>
          <ErrorNotice {...joinFailures(history, command)} />
          {history.value === undefined && !history.failure && <Skeleton height={240} />}
          {history.value && <OtaTimeline events={history.value.events} />}
        </Card>
      </div>
      <DeviceReleases device={device} events={events} />
    </div>
  );
}
