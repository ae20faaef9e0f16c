import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { lazy } from "../lazy.js";
import { Link } from "../router.js";
import { isOperator } from "../session.js";
import * as bulkText from "../text/bulk.js";
import type { BulkKind } from "./bulk-dialog.js";

const BulkDialog = lazy(async () => (await import("./bulk-dialog.js")).BulkDialog);

/** More lines in one chart are hard to read. */
const maxCompared = 8;

const actions: readonly (readonly [BulkKind, string])[] = [
  ["channel", bulkText.channel],
  ["pin", bulkText.pin],
  ["configure", bulkText.configure],
  ["clear", bulkText.clearBlocks],
  ["revoke", bulkText.revoke],
  ["reinstate", bulkText.reinstate],
];

interface BulkBarProps {
  readonly devices: readonly DeviceSummary[];
  readonly onClear: () => void;
  readonly onChanged: () => void;
}

/** Says how many devices are selected, and what can be done to them. */
export function BulkBar({ devices, onClear, onChanged }: BulkBarProps) {
  const [kind, setKind] = useState<BulkKind | undefined>();
  if (devices.length === 0) return null;
  const compared = new URLSearchParams(
    devices.slice(0, maxCompared).map(({ id }) => ["device", id]),
  );
  return (
    <section class="bulk-bar" aria-label={bulkText.selectedDevices}>
      <strong role="status">{bulkText.selected(devices.length)}</strong>
      <div class="actions">
        {devices.length > 1 && devices.length <= maxCompared && (
          <Link to={`/compare?${compared}`} class="button small">
            {bulkText.compare}
          </Link>
        )}
        {isOperator.value &&
          actions.map(([action, words]) => (
            <button
              type="button"
              key={action}
              class={`button small ${action === "revoke" ? "danger" : ""}`}
              onClick={() => setKind(action)}
            >
              {words}
            </button>
          ))}
        <button type="button" class="button small quiet" onClick={onClear}>
          {bulkText.clearSelection}
        </button>
      </div>
      {kind && (
        <BulkDialog
          kind={kind}
          devices={devices}
          onClose={(changed) => {
            setKind(undefined);
            if (changed) onChanged();
          }}
        />
      )}
    </section>
  );
}
