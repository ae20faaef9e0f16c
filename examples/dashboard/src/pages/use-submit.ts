import { useState } from "preact/hooks";
import type { AccountReply } from "../api/account-calls.js";

/** Submits an account form. Returns whether it is being sent, and why it failed. */
export function useSubmit(
  send: (fields: Readonly<Record<string, string>>) => Promise<AccountReply>,
  onDone: () => void | Promise<void>,
) {
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | undefined>();
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, String(value)]),
    );
    setBusy(true);
    setMessage(undefined);
    const reply = await send(fields);
    if (reply.ok) await onDone();
    else setMessage(reply.message);
    setBusy(false);
  };
  return { busy, failure: message === undefined ? undefined : { message }, onSubmit };
}
