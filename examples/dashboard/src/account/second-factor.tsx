import { useState } from "preact/hooks";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { useSubmit } from "../pages/use-submit.js";
import { Card, ErrorNotice, Field, Notice, Status } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { QrCode } from "./qr-code.js";
import { RecoveryCodes } from "./recovery-codes.js";

interface Enrolment {
  readonly uri: string;
  readonly codes: readonly string[];
}

const toCodes = (body: Readonly<Record<string, unknown>>) => body["backupCodes"] as string[];

const PasswordField = ({ id }: { readonly id: string }) => (
  <Field
    id={id}
    name="password"
    label="Your password"
    type="password"
    autocomplete="current-password"
    required
  />
);

/** Asks for the password, which starts the setup. */
function Start({ onStart }: { readonly onStart: (enrolment: Enrolment) => void }) {
  const { busy, failure, onSubmit } = useSubmit(
    async (fields) => {
      const reply = await callAccounts("/two-factor/enable", fields);
      if (reply.ok) onStart({ uri: String(reply.body["totpURI"]), codes: toCodes(reply.body) });
      return reply;
    },
    () => undefined,
  );
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      <PasswordField id="factor-password" />
      <div>
        <button type="submit" class="button primary" disabled={busy}>
          Set up second factor
        </button>
      </div>
      <ErrorNotice failure={failure} />
    </form>
  );
}

/** Shows the secret for the app, and asks for the first code. */
function Setup({ uri, onDone }: { readonly uri: string; readonly onDone: () => void }) {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  const { busy, failure, onSubmit } = useSubmit(
    ({ code = "" }) => callAccounts("/two-factor/verify-totp", { code: code.trim() }),
    onDone,
  );
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      <p>Scan this code with your authenticator app, or enter the secret by hand.</p>
      <QrCode text={uri} label="QR code for the authenticator app" />
      <p>
        Secret: <code class="wrap">{secret.match(/.{1,4}/g)?.join(" ")}</code>
      </p>
      <Field
        id="first-code"
        name="code"
        label="Code that the app shows"
        autocomplete="one-time-code"
        numeric
        pattern=" *[0-9]{6} *"
        focused
        required
      />
      <div>
        <button type="submit" class="button primary" disabled={busy}>
          Turn on
        </button>
      </div>
      <ErrorNotice failure={failure} />
    </form>
  );
}

/** Renews the recovery codes or turns the second factor off. Both need the password. */
function Manage({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { busy, failure, onSubmit } = useSubmit(
    async ({ password }, action) => {
      const reply = await callAccounts(`/two-factor/${action}`, { password });
      if (reply.ok && action === "generate-backup-codes") onCodes(toCodes(reply.body));
      if (reply.ok && action === "disable") {
        showToast("The second factor is off.");
        await refreshSite();
      }
      return reply;
    },
    () => undefined,
  );
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      <PasswordField id="manage-password" />
      <div class="actions">
        <button type="submit" class="button" disabled={busy} value="generate-backup-codes">
          New recovery codes
        </button>
        <button type="submit" class="button danger" disabled={busy} value="disable">
          Turn off
        </button>
      </div>
      <ErrorNotice failure={failure} />
    </form>
  );
}

export function SecondFactor({ enabled }: { readonly enabled: boolean }) {
  const [enrolment, setEnrolment] = useState<Enrolment | undefined>();
  const [codes, setCodes] = useState<readonly string[] | undefined>();
  const onDone = async () => {
    setCodes(enrolment?.codes);
    setEnrolment(undefined);
    await refreshSite();
  };
  return (
    <Card
      title="Second factor"
      actions={<Status tone={enabled ? "good" : "plain"}>{enabled ? "On" : "Off"}</Status>}
      hint="With a second factor, a sign-in also needs a code from an app on your phone."
    >
      <div class="stack-small">
        {codes && (
          <Notice tone="good">
            <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
          </Notice>
        )}
        {enabled && <Manage onCodes={setCodes} />}
        {!enabled && enrolment === undefined && <Start onStart={setEnrolment} />}
        {!enabled && enrolment && <Setup uri={enrolment.uri} onDone={() => void onDone()} />}
      </div>
    </Card>
  );
}
