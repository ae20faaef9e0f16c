import { useState } from "preact/hooks";
import { callAccounts, refreshSite } from "../api/account-calls.js";
import { call } from "../api/call.js";
import { claimPath } from "../claim-path.js";
import { readDemoToken } from "../demo-token.js";
import { devicePath, navigate } from "../router.js";
import { demo } from "../session.js";
import type { DemoLabel } from "../site-answer.js";
import { ErrorNotice } from "../ui/parts.js";

const pollMs = 250;
const maxPolls = 80;

/** What stands on the demo gateway's label: right after the start it may not have one yet. */
async function waitForLabel(): Promise<DemoLabel | null | undefined> {
  for (let look = 1; look < maxPolls; look++) {
    await refreshSite();
    if (demo.value?.open !== true || demo.value.label !== null) return demo.value?.label;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return null;
}

/** To the demo gateway itself if it is owned by now, else to claiming it. */
async function openDemoDevice() {
  const label = await waitForLabel();
  if (!label) return navigate("/", { replace: true });
  const reply = await call("readDevice", { params: { deviceId: label.deviceId } });
  const owned = reply.ok && reply.value.device.claimedAt !== null;
  navigate(owned ? devicePath(label.deviceId) : claimPath(label), { replace: true });
}

/** One click into the demo, where it runs and the reader sits at its machine. */
export function DemoCard() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ message: string } | undefined>();
  if (demo.value === null) return null;
  const open = async () => {
    setBusy(true);
    const reply = await callAccounts("/demo", { token: readDemoToken() });
    if (reply.ok) await openDemoDevice();
    else setFailure(reply);
    setBusy(false);
  };
  if (!demo.value.open) {
    return (
      <section class="card demo-door">
        <div class="card-body stack-small">
          <h2>Just looking?</h2>
          <p class="muted">
            A demo gateway is running on this machine. To open it, follow the link that the server
            printed when it started: it ends with <code>#demo=…</code>
          </p>
        </div>
      </section>
    );
  }
  return (
    <section class="card demo-door">
      <div class="card-body stack-small">
        <h2>Just looking?</h2>
        <p class="muted">
          A demo gateway is running on this machine, with 79 days of readings. No account needed.
        </p>
        <ErrorNotice failure={failure} />
        <button
          type="button"
          class="button primary wide"
          disabled={busy}
          onClick={() => void open()}
        >
          {busy ? "Opening…" : "Open the demo"}
        </button>
      </div>
    </section>
  );
}
