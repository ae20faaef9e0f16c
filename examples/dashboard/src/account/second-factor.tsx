import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { refreshSite } from "../api/site-calls.js";
import * as accountText from "../text/account.js";
import { Card, ErrorNotice, Field, Notice, Status } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { QrCode } from "./qr-code.js";
import { RecoveryCodes } from "./recovery-codes.js";
import { useSubmit } from "./use-submit.js";

interface Enrolment {
  readonly uri: string;
  readonly codes: readonly string[];
}

const toCodes = (body: Readonly<Record<string, unknown>>) => body["backupCodes"] as string[];

const PasswordField = ({ id }: { readonly id: string }) => (
  <Field
    id={id}
    name="password"
    label={accountText.yourPassword}
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
          {accountText.setUpSecondFactor}
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
      <p>{accountText.scanWithAuthenticator}</p>
      <QrCode text={uri} label={accountText.authenticatorQrCode} />
      <p>{accountText.secret(secret.match(/.{1,4}/g)?.join(" "))}</p>
      <Field
        id="first-code"
        name="code"
        label={accountText.codeOfApp}
        autocomplete="one-time-code"
        numeric
        pattern=" *[0-9]{6} *"
        focused
        required
      />
      <div>
        <button type="submit" class="button primary" disabled={busy}>
          {accountText.turnOn}
        </button>
      </div>
      <ErrorNotice failure={failure} />
    </form>
  );
}

interface ManageProps {
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onOff: () => Promise<void>;
}

/** Renews the recovery codes or turns the second factor off. Both need the password. */
function Manage({ onCodes, onOff }: ManageProps) {
  const { busy, failure, onSubmit } = useSubmit(
    async ({ password }, action) => {
      const reply = await callAccounts(`/two-factor/${action}`, { password });
      if (reply.ok && action === "generate-backup-codes") onCodes(toCodes(reply.body));
      if (reply.ok && action === "disable") {
        showToast(accountText.secondFactorIsOff);
        await onOff();
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
          {accountText.newRecoveryCodes}
        </button>
        <button type="submit" class="button danger" disabled={busy} value="disable">
          {accountText.turnOff}
        </button>
      </div>
      <ErrorNotice failure={failure} />
    </form>
  );
}

interface SecondFactorProps {
  readonly enabled: boolean;
  /** Called after the second factor was turned on or off, which may give the user a new session. */
  readonly onChanged: () => void;
}

export function SecondFactor({ enabled, onChanged }: SecondFactorProps) {
  const [enrolment, setEnrolment] = useState<Enrolment | undefined>();
  const [codes, setCodes] = useState<readonly string[] | undefined>();
  const refresh = async () => {
    onChanged();
    await refreshSite();
  };
  const onDone = async () => {
    setCodes(enrolment?.codes);
    setEnrolment(undefined);
    await refresh();
  };
  return (
    <Card
      title={accountText.secondFactor}
      actions={
        <Status tone={enabled ? "good" : "plain"}>
          {enabled ? accountText.on : accountText.off}
        </Status>
      }
      hint={accountText.secondFactorHint}
    >
      <div class="stack-small">
        {codes && (
          <Notice tone="good">
            <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
          </Notice>
        )}
        {enabled && <Manage onCodes={setCodes} onOff={refresh} />}
        {!enabled && enrolment === undefined && <Start onStart={setEnrolment} />}
        {!enabled && enrolment && <Setup uri={enrolment.uri} onDone={() => void onDone()} />}
      </div>
    </Card>
  );
}
