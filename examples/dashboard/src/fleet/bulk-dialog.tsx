import type { BulkAction, DeviceSummary } from "@device-gateway/core/contract";
import { useEffect, useMemo, useState } from "preact/hooks";
import * as bulkText from "../text/bulk.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
import { useUnsaved } from "../unsaved.js";
import { type BulkProgress, runBulk } from "./run-bulk.js";

/** What an operator can do to many devices. */
export type BulkKind = "channel" | "pin" | "configure" | "clear" | "revoke" | "reinstate";

const parsePatch = (text: string): Record<string, unknown> | undefined => {
  try {
    const patch: unknown = JSON.parse(text);
    return typeof patch === "object" && patch !== null && !Array.isArray(patch)
      ? { ...patch }
      : undefined;
  } catch {
    return undefined;
  }
};

interface Choice {
  readonly title: string;
  readonly hint: string;
  readonly field?: { readonly label: string; readonly value: string; readonly hint?: string };
  /** Returns undefined if the text is not valid. */
  readonly toAction: (text: string) => BulkAction | undefined;
}

export const bulkChoices: Readonly<Record<BulkKind, Choice>> = {
  channel: {
    title: bulkText.setChannel,
    hint: bulkText.setChannelHint,
    field: { label: bulkText.channel, value: "stable" },
    toAction: (text) =>
      /^[\w.-]{1,64}$/.test(text)
        ? { kind: "set_target", target: { otaChannel: text } }
        : undefined,
  },
  pin: {
    title: bulkText.pinToVersion,
    hint: bulkText.pinHint,
    field: { label: bulkText.version, value: "", hint: bulkText.versionExample },
    toAction: (text) =>
      /^(\d{1,9}(\.\d{1,9}){2})?$/.test(text)
        ? { kind: "set_target", target: { pinnedVersion: text || null } }
        : undefined,
  },
  configure: {
    title: bulkText.changeConfiguration,
    hint: bulkText.changeConfigurationHint,
    field: { label: bulkText.settingsAsJson, value: '{ "telemetryIntervalSeconds": 60 }' },
    toAction: (text) => {
      const patch = parsePatch(text);
      return patch && { kind: "configure", patch };
    },
  },
  clear: {
    title: bulkText.clearBlocksOfFailed,
    hint: bulkText.clearBlocksHint,
    toAction: () => ({ kind: "clear_update_blocks" }),
  },
  revoke: {
    title: bulkText.revoke,
    hint: bulkText.revokeHint,
    toAction: () => ({ kind: "revoke" }),
  },
  reinstate: {
    title: bulkText.reinstate,
    hint: bulkText.reinstateHint,
    toAction: () => ({ kind: "reinstate" }),
  },
};

const previewed = 8;

function Preview({ devices }: { devices: readonly DeviceSummary[] }) {
  const rest = devices.length - previewed;
  return (
    <p class="small muted break">
      {devices
        .slice(0, previewed)
        .map(({ name }) => name)
        .join(", ")}
      {rest > 0 && bulkText.andMore(rest)}
    </p>
  );
}

/** Says how many devices were changed, and why others were not. */
function Outcome({ progress, of }: { progress: BulkProgress; of: number }) {
  const { verdicts, failure } = progress;
  const failed = verdicts.filter(({ code }) => code !== "done");
  const causes = new Map<string, number>();
  for (const { detail = "" } of failed) causes.set(detail, (causes.get(detail) ?? 0) + 1);
  return (
    <div class="stack-small">
      <progress class="progress" value={verdicts.length} max={of} aria-label={bulkText.progress} />
      <p role="status">{bulkText.changedOf(verdicts.length - failed.length, of)}</p>
      {causes.size > 0 && (
        <Notice tone="bad">
          {[...causes].map(([detail, count]) => (
            <p key={detail}>{bulkText.cause(count, detail)}</p>
          ))}
          <p class="small break">
            {failed
              .slice(0, previewed)
              .map(({ deviceId }) => deviceId)
              .join(", ")}
          </p>
        </Notice>
      )}
      <ErrorNotice failure={failure === undefined ? undefined : { message: failure }} />
    </div>
  );
}

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly devices: readonly DeviceSummary[];
  readonly onClose: (changed: boolean) => void;
}

/** Shows which devices a change is for, makes it, and shows the progress and the result. */
export function BulkDialog({ kind, devices, onClose }: BulkDialogProps) {
  const { title, hint, field, toAction } = bulkChoices[kind];
  const [progress, setProgress] = useState<BulkProgress | undefined>();
  const [running, setRunning] = useState(false);
  const [wrong, setWrong] = useState(false);
  const unsaved = useUnsaved(bulkText.leaveRunning);
  const stopping = useMemo(() => new AbortController(), []);
  useEffect(() => () => stopping.abort(), [stopping]);
  const close = () => onClose(progress !== undefined);
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const action = toAction(String(form.get("text") ?? "").trim());
    setWrong(action === undefined);
    if (action === undefined) return;
    setRunning(true);
    unsaved.onInput();
    setProgress({ verdicts: [], failure: undefined });
    await runBulk(
      devices.map(({ id }) => id),
      action,
      { onProgress: setProgress, signal: stopping.signal },
    );
    unsaved.onSaved();
    setRunning(false);
  };
  return (
    <Dialog
      title={bulkText.titleWithCount(title, devices.length)}
      hint={
        <>
          <p class="muted">{hint}</p>
          <Preview devices={devices} />
        </>
      }
      locked={running}
      onClose={close}
    >
      <form class="stack" onSubmit={(event) => void start(event)}>
        {progress === undefined ? (
          <>
            {field && (
              <Field
                id="bulk-text"
                name="text"
                label={field.label}
                defaultValue={field.value}
                spellcheck={false}
                autocomplete="off"
                {...(field.hint !== undefined && { hint: field.hint })}
              />
            )}
            {wrong && <ErrorNotice failure={{ message: bulkText.notValid }} />}
            <div class="actions">
              <button type="submit" class={`button ${kind === "revoke" ? "danger" : "primary"}`}>
                {bulkText.changeDevices(devices.length)}
              </button>
              <button type="button" class="button quiet" onClick={close}>
                {bulkText.cancel}
              </button>
            </div>
          </>
        ) : (
          <>
            <Outcome progress={progress} of={devices.length} />
            <div>
              <button type="button" class="button" disabled={running} onClick={close}>
                {bulkText.close}
              </button>
            </div>
          </>
        )}
      </form>
    </Dialog>
  );
}
