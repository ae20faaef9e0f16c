import { useRef, useState } from "preact/hooks";
import type { AccountReply } from "../api/account-calls.js";

/**
 * Submits an account form. `send` also gets the value of the pressed button. Returns whether the form is being sent, and
 * why it failed.
 */
export function useSubmit(
  send: (fields: Readonly<Record<string, string>>, action: string) => Promise<AccountReply>,
  onDone: () => unknown,
) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | undefined>();
  const onSubmit = async (event: SubmitEvent): Promise<AccountReply> => {
    event.preventDefault();
    const sent = event.currentTarget as HTMLFormElement;
    const fields = Object.fromEntries(
      [...new FormData(sent)].map(([name, value]) => [name, String(value)]),
    );
    const action = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "";
    setBusy(true);
    setMessage(undefined);
    const reply = await send(fields, action);
    if (reply.ok) await onDone();
    else setMessage(reply.message);
    setBusy(false);
    return reply;
  };
  return { busy, failure: message === undefined ? undefined : { message }, onSubmit, form };
}

/** A form that `useSubmit` sends. */
export type Submission = ReturnType<typeof useSubmit>;
