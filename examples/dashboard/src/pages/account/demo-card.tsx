import { useState } from "preact/hooks";
import { callAccounts } from "../../api/account-calls.js";
import { call } from "../../api/call.js";
import { announceSession, refreshSite } from "../../api/site-calls.js";
import { claimPath } from "../../claim-path.js";
import { readDemoToken } from "../../demo-token.js";
import { devicePath, navigate } from "../../router.js";
import { demo } from "../../session.js";
import type { DemoLabel } from "../../site-answer.js";
import * as signInText from "../../text/sign-in.js";
import { ErrorNotice } from "../../ui/parts.js";

const pollMs = 250;
const maxPolls = 80;

/** Waits until the demo gateway has a label. It has none right after the server's start. */
async function waitForLabel(): Promise<DemoLabel | null | undefined> {
  for (let poll = 1; poll < maxPolls; poll++) {
    if (demo.value?.open !== true || demo.value.label !== null) return demo.value?.label;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    await refreshSite();
  }
  return null;
}

/** Opens the demo gateway's page if the user may see it and it has an owner, else the claim form. */
async function openDemoDevice() {
  await announceSession();
  const label = await waitForLabel();
  if (!label) return navigate("/", { replace: true });
  const reply = await call("readDevice", { params: { deviceId: label.deviceId } });
  const owned = reply.ok && reply.value.device.claimedAt !== null;
  navigate(owned ? devicePath(label.deviceId) : claimPath(label), { replace: true });
}

/** Opens the demo with one click. Shown only on the machine where the demo runs. */
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
      <section class="card demo-card">
        <div class="card-body stack-small">
          <h2>{signInText.justLooking}</h2>
          <p class="muted">{signInText.demoNeedsLink}</p>
        </div>
      </section>
    );
  }
  return (
    <section class="card demo-card">
      <div class="card-body stack-small">
        <h2>{signInText.justLooking}</h2>
        <p class="muted">{signInText.demoHint}</p>
        <ErrorNotice failure={failure} />
        <button
          type="button"
          class="button primary wide"
          disabled={busy}
          onClick={() => void open()}
        >
          {busy ? signInText.opening : signInText.openDemo}
        </button>
      </div>
    </section>
  );
}
