import { useState } from "preact/hooks";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { clearFleet } from "../fleet/fleet.js";
import { navigate } from "../router.js";
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
    await refreshSite();
    showToast("Your account is deleted.");
    navigate("/sign-in", { replace: true });
  };
  return (
    <Card
      title="Delete account"
      hint="This releases all your devices, and you lose their readings."
    >
      <div class="stack-small">
        <ErrorNotice failure={failure} />
        <div>
          <button type="button" class="button danger" onClick={() => setAsking(true)}>
            Delete this account
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title="Delete your account?"
          action="Delete account"
          busy={busy}
          onConfirm={() => void remove()}
          onCancel={() => setAsking(false)}
        >
          <p class="muted">
            Anyone with the code of one of your devices can claim it then. You can't undo this.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
