import type { DeviceSummary, SentCommand } from "@device-gateway/core/contract";
import { useMemo, useState } from "preact/hooks";
import { call } from "../api/call.js";
import { account } from "../session.js";
import type { CommandForm } from "../site-answer.js";
import * as commandsText from "../text/commands.js";
import { formatDuration } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Notice, Select } from "../ui/parts.js";
import { randomLetters } from "../ui/random-letters.js";
import { showToast } from "../ui/toast.js";
import { isOpen } from "./is-open.js";
import { declaredCommands, maySend } from "./may-send.js";
import { PayloadFields } from "./payload-fields.js";
import { readPayload, toFields } from "./payload-schema.js";

/** Draws an Idempotency-Key of 130 random bits. */
const drawKey = () => randomLetters(26);

/**
 * The keys of the commands whose sending failed, by the JSON of each command, its device and its user. The server may have
 * stored such a command, for example if it answered too late. A repetition has the same key, so that the server stores it
 * once, also if the user has looked at another view in the meantime.
 */
const unconfirmed = new Map<string, string>();

/**
 * Returns whether a user who repeats an ended command wants a new one: the device never got the earlier one, or the shown
 * list says how it ended.
 */
const wantsNew = ({ commandId, state }: SentCommand, shown: readonly SentCommand[]) =>
  state === "cancelled" ||
  state === "expired" ||
  shown.some((one) => one.commandId === commandId && !isOpen(one));

/** Returns the payload that the user wrote as JSON. Undefined if it is not an object. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface CommandFormProps {
  readonly device: DeviceSummary;
  /** The commands that the list shows. */
  readonly commands: readonly SentCommand[];
  readonly forms: readonly CommandForm[];
  /** Called after each attempt. The server may have stored the command although the attempt failed. */
  readonly onSent: () => void;
}

function Form({ device, commands, forms, onSent }: CommandFormProps) {
  const [name, setName] = useState(forms[0]?.name ?? "");
  const form = forms.find((one) => one.name === name);
  const fields = useMemo(() => form && toFields(form), [form]);
  const [failure, setFailure] = useState<{ readonly message: string } | undefined>();
  const [busy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const payload = fields ? readPayload(fields, data) : parseObject(String(data.get("payload")));
    if (payload === undefined) return setFailure({ message: commandsText.notAnObject });
    setBusy(true);
    const body = { name, payload };
    const command = JSON.stringify([account.value?.email, device.id, body]);
    const sendWith = (key: string) => {
      unconfirmed.set(command, key);
      const headers = { "idempotency-key": key };
      return call("sendCommand", { params: { deviceId: device.id }, headers, body });
    };
    const kept = unconfirmed.get(command);
    let reply = await sendWith(kept ?? drawKey());
    let isRepeated = kept !== undefined && reply.ok && !isOpen(reply.value.command);
    if (isRepeated && reply.ok && wantsNew(reply.value.command, commands)) {
      isRepeated = false;
      reply = await sendWith(drawKey());
    }
    setBusy(false);
    setFailure(reply.ok ? undefined : reply.failure);
    onSent();
    if (!reply.ok) return;
    unconfirmed.delete(command);
    showToast(isRepeated ? commandsText.sentBeforeToast : commandsText.sentToast);
  };
  return (
    <form class="form" onSubmit={(event) => void send(event)}>
      <Select
        // Without a name: the fields of the payload have names that the schema chooses.
        id="command"
        label={commandsText.command}
        options={forms.map((one) => [one.name, one.title ?? one.name])}
        defaultValue={name}
        onChange={(chosen) => {
          setName(chosen);
          setFailure(undefined);
        }}
        {...(form?.description !== undefined && { hint: form.description })}
      />
      {fields?.length !== 0 && (
        <div class="form" key={name}>
          <PayloadFields fields={fields} />
        </div>
      )}
      <ErrorNotice failure={failure} />
      <div>
        <button type="submit" class="button primary" disabled={busy}>
          {commandsText.sendCommand}
        </button>
      </div>
    </form>
  );
}

/** Sends one of the commands that the server declares. */
export function SendCommand({ device, commands, onSent }: Omit<CommandFormProps, "forms">) {
  const declared = declaredCommands();
  const forms = declared.filter(({ name }) => maySend(name, device));
  if (forms.length === 0) {
    const none = declared.length === 0;
    return (
      <Card title={commandsText.send}>
        <EmptyState title={none ? commandsText.noneDeclared : commandsText.noneAllowed}>
          <p>{none ? commandsText.noneDeclaredHint : commandsText.noneAllowedHint}</p>
        </EmptyState>
      </Card>
    );
  }
  const hint = commandsText.sendHint(formatDuration(device.expectedIntervalSeconds));
  return (
    <Card title={commandsText.send} hint={hint}>
      {device.revokedAt === undefined ? (
        <Form device={device} commands={commands} forms={forms} onSent={onSent} />
      ) : (
        <Notice>{commandsText.revokedHint}</Notice>
      )}
    </Card>
  );
}
