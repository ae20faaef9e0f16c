import type { BulkAction, DeviceSummary } from "@device-gateway/core/contract";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../ui/format.js";
import { ErrorNotice, Field, Notice } from "../ui/parts.js";
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
    title: "Set the update channel",
    hint: "The devices are offered the releases of this channel only.",
    field: { label: "Channel", value: "stable" },
    toAction: (text) =>
      /^[\w.-]{1,64}$/.test(text)
        ? { kind: "set_target", target: { otaChannel: text } }
        : undefined,
  },
  pin: {
    title: "Pin to a version",
    hint: "The devices are offered this version only. An empty field removes their pins.",
    field: { label: "Version", value: "", hint: "Such as 1.4.0, or empty." },
    toAction: (text) =>
      /^(\d{1,9}(\.\d{1,9}){2})?$/.test(text)
        ? { kind: "set_target", target: { pinnedVersion: text || null } }
        : undefined,
  },
  configure: {
    title: "Change the configuration",
    hint: "The settings are merged into each device's own. null restores a default.",
    field: { label: "Settings (JSON)", value: '{ "telemetryIntervalSeconds": 60 }' },
    toAction: (text) => {
      const patch = parsePatch(text);
      return patch && { kind: "configure", patch };
    },
  },
  clear: {
    title: "Clear blocks after failed updates",
    hint: "The devices are offered releases again that failed on them.",
    toAction: () => ({ kind: "clear_update_blocks" }),
  },
  revoke: {
    title: "Revoke",
    hint: "The server rejects the requests of these devices at once. You can reinstate them later.",
    toAction: () => ({ kind: "revoke" }),
  },
  reinstate: {
    title: "Reinstate",
    hint: "The devices may log in again.",
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
      {rest > 0 && ` and ${formatCount(rest)} more`}
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
      <progress class="progress" value={verdicts.length} max={of} aria-label="Progress" />
      <p role="status">
        {formatCount(verdicts.length - failed.length)} of {formatCount(of)} devices changed.
      </p>
      {causes.size > 0 && (
        <Notice tone="bad">
          {[...causes].map(([detail, count]) => (
            <p key={detail}>
              {formatCount(count)} {count === 1 ? "device" : "devices"}: {detail}
            </p>
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
  const dialog = useRef<HTMLDialogElement>(null);
  const [progress, setProgress] = useState<BulkProgress | undefined>();
  const [running, setRunning] = useState(false);
  const [wrong, setWrong] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const action = toAction(String(form.get("text") ?? "").trim());
    setWrong(action === undefined);
    if (action === undefined) return;
    setRunning(true);
    setProgress({ verdicts: [], failure: undefined });
    await runBulk(
      devices.map(({ id }) => id),
      action,
      setProgress,
    );
    setRunning(false);
  };
  const count = `${formatCount(devices.length)} ${devices.length === 1 ? "device" : "devices"}`;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="bulk-title"
      onCancel={(event) => {
        if (running) event.preventDefault();
      }}
      onClose={() => onClose(progress !== undefined)}
    >
      <form class="stack" onSubmit={(event) => void start(event)}>
        <div class="stack-small">
          <h2 id="bulk-title">
            {title}: {count}
          </h2>
          <p class="muted">{hint}</p>
          <Preview devices={devices} />
        </div>
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
            {wrong && <ErrorNotice failure={{ message: "This is not valid. Check the text." }} />}
            <div class="actions">
              <button type="submit" class={`button ${kind === "revoke" ? "danger" : "primary"}`}>
                Change {count}
              </button>
              <button type="button" class="button quiet" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
            </div>
          </>
        ) : (
          <>
            <Outcome progress={progress} of={devices.length} />
            <div>
              <button
                type="button"
                class="button"
                disabled={running}
                onClick={() => dialog.current?.close()}
              >
                Close
              </button>
            </div>
          </>
        )}
      </form>
    </dialog>
  );
}
