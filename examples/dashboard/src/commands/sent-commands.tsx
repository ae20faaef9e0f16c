import type { DeviceSummary, SentCommand } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import * as commandsText from "../text/commands.js";
import * as firmwareText from "../text/firmware.js";
import { formatAgo, formatTime } from "../ui/format.js";
import { ErrorNotice, Status, type Tone } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useNow } from "../ui/use-now.js";
import { declaredCommands, maySend } from "./may-send.js";

const tones: Readonly<Record<SentCommand["state"], Tone>> = {
  pending: "accent",
  delivered: "accent",
  done: "good",
  failed: "bad",
  cancelled: "plain",
  expired: "warn",
  unknown: "warn",
};
const hints: Readonly<Partial<Record<SentCommand["state"], string>>> = commandsText.stateHints;

/** Returns the fields of a payload or a result as text: `minutes: 5, relay: pump`. */
function describeValue(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return typeof value === "string" ? value : JSON.stringify(value);
  }
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${typeof inner === "string" ? inner : JSON.stringify(inner)}`)
    .join(", ");
}

/** Returns the title that the server declares for a command, else its name. */
function titleOf(name: string): string {
  if (name === "update-now") return firmwareText.updateNow;
  return declaredCommands().find((form) => form.name === name)?.title ?? name;
}

interface LineProps {
  readonly command: SentCommand;
  readonly now: number;
  /** Undefined if the user may not cancel it. */
  readonly onCancel: (() => void) | undefined;
}

function Line({ command, now, onCancel }: LineProps) {
  const { name, payload, state, sentAt, expiresAt, answer, answeredAt } = command;
  const sent = describeValue(payload);
  const ago = (at: string) => formatAgo(Date.parse(at), now);
  const result = answer?.result;
  return (
    <li class="entry">
      <div class="entry-text">
        <h3 class="line">
          {titleOf(name)} <Status tone={tones[state]}>{commandsText.states[state]}</Status>
        </h3>
        {sent !== "" && <p class="small break mono">{sent}</p>}
        {answer === null && hints[state] && <p class="small muted">{hints[state]}</p>}
        {answer?.message && <p class="small break">{answer.message}</p>}
        {result !== undefined && result !== null && (
          <p class="small break">
            <span class="muted">{commandsText.result}</span>{" "}
            <span class="mono">{describeValue(result)}</span>
          </p>
        )}
        <p class="small muted">
          <time dateTime={sentAt} title={formatTime(sentAt)}>
            {commandsText.sent(ago(sentAt))}
          </time>
          {answeredAt !== null && ` · ${commandsText.answered(ago(answeredAt))}`}
          {state === "pending" && ` · ${commandsText.expires(formatTime(expiresAt))}`}
        </p>
      </div>
      {state === "pending" && onCancel && (
        <div class="actions">
          <button
            type="button"
            class="button small"
            aria-label={commandsText.cancelNamed(titleOf(name))}
            onClick={onCancel}
          >
            {commandsText.cancel}
          </button>
        </div>
      )}
    </li>
  );
}

interface SentCommandsProps {
  readonly device: DeviceSummary;
  readonly commands: readonly SentCommand[];
  readonly reload: () => void;
}

/** Lists the commands of a device with states and answers. Users who may send one can cancel it while it waits. */
export function SentCommands({ device, commands, reload }: SentCommandsProps) {
  const now = useNow(5_000);
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const cancel = async (commandId: string) => {
    const reply = await call("cancelCommand", { params: { deviceId: device.id, commandId } });
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(commandsText.cancelledToast);
    reload();
  };
  return (
    <>
      <ErrorNotice failure={failure} />
      <ul class="entries">
        {commands.map((command) => (
          <Line
            key={command.commandId}
            command={command}
            now={now}
            onCancel={
              maySend(command.name, device) ? () => void cancel(command.commandId) : undefined
            }
          />
        ))}
      </ul>
    </>
  );
}
