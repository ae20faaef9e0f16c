import { useState } from "preact/hooks";
import { callAccounts } from "../api/account-calls.js";
import { announceSession } from "../api/site-calls.js";
import { clearFleet } from "../fleet/fleet.js";
import { navigate } from "../router.js";
import * as accountText from "../text/account.js";
import { Confirm } from "../ui/confirm.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";

export function DeleteAccount() {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ readonly message: string } | undefined>();
  const remove = async () => {
    setBusy(true);
    const reply = await callAccounts("/delete-user");
    setBusy(false);
    setAsking(false);
    if (!reply.ok) return setFailure(reply);
    clearFleet();
    await announceSession();
    showToast(accountText.accountDeleted);
    navigate("/sign-in", { replace: true });
  };
  return (
    <Card title={accountText.deleteAccount} hint={accountText.deletionReleasesDevices}>
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <div>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            {accountText.deleteThisAccount}
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={accountText.confirmDeletion}
          action={accountText.deleteAccount}
          busy={busy}
          onConfirm={() => void remove()}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">{accountText.deletionHint}</p>
        </Confirm>
      )}
    </Card>
  );
}
