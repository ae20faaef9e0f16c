import { useState } from "preact/hooks";
import { CodeSamples } from "../connect/code-samples.js";
import { FirstContact } from "../connect/first-contact.js";
import { Link } from "../router.js";
import { site } from "../session.js";
import * as connectText from "../text/connect.js";
import { Card, Field } from "../ui/parts.js";
import { randomLetters } from "../ui/random-letters.js";
import { useTitle } from "../ui/title.js";

const randomId = () => `gw-${Math.random().toString(36).slice(2, 8)}`;

/** Draws a claim code of 80 random bits. */
const drawClaimCode = () => randomLetters(16).replace(/(.{4})(?=.)/g, "$1-");

/** Helps to connect a new gateway: its identity, code to copy with these values, and its first contact. */
export function ConnectPage() {
  useTitle(connectText.connectAGateway);
  const [deviceId, setDeviceId] = useState(randomId);
  const [hardwareId, setHardwareId] = useState("esp32:devkit-v1");
  const [claimCode] = useState(drawClaimCode);
  const origin = typeof site.value === "object" ? site.value.url : location.origin;
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{connectText.connectAGateway}</h1>
          <p class="muted">
            {connectText.connectHint(<Link to="/claim">{connectText.claimWithCode}</Link>)}
          </p>
        </div>
      </div>
      <div class="stack">
        <Card title={connectText.stepIdentity} hint={connectText.stepIdentityHint}>
          <div class="form-row">
            <Field
              id="new-id"
              name="deviceId"
              label={connectText.deviceId}
              value={deviceId}
              onInput={setDeviceId}
              maxLength={128}
              class="mono"
              spellcheck={false}
            />
            <Field
              id="new-hardware"
              name="hardwareId"
              label={connectText.hardwareId}
              value={hardwareId}
              onInput={setHardwareId}
              maxLength={128}
              class="mono"
              spellcheck={false}
            />
            <Field
              id="new-code"
              name="claimCode"
              label={connectText.claimCode}
              value={claimCode}
              class="mono"
              readOnly
            />
          </div>
        </Card>
        <CodeSamples {...{ origin, deviceId, hardwareId, claimCode }} />
        <FirstContact {...{ deviceId, claimCode }} />
      </div>
    </>
  );
}
