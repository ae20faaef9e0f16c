import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/call.js";
import { serverNow } from "../../api/server-clock.js";
import { linesToSign, readImage } from "../../firmware/read-image.js";
import { SignHelp } from "../../firmware/sign-help.js";
import { uploadImage } from "../../firmware/upload-image.js";
import { navigate } from "../../router.js";
import { isOperator } from "../../session.js";
import * as releasesText from "../../text/releases.js";
import { formatBytes } from "../../ui/format.js";
import { Card, ErrorNotice, Field } from "../../ui/parts.js";
import { useTitle } from "../../ui/title.js";
import { showToast } from "../../ui/toast.js";
import { useUnsaved } from "../../unsaved.js";
import { OperatorsOnly } from "./operators-only.js";

const currentSecond = () => new Date(serverNow()).toISOString().replace(/\.\d+Z$/, "Z");

interface Draft {
  readonly version: string;
  readonly targetHardware: string;
  readonly sha256: string;
}

/** Creates a draft release and uploads its image. */
export function PublishPage() {
  useTitle(releasesText.publishRelease);
  const [draft, setDraft] = useState<Draft>({ version: "", targetHardware: "", sha256: "" });
  const [releasedAt] = useState(currentSecond);
  const [file, setFile] = useState<File | undefined>();
  const [uploaded, setUploaded] = useState<number | undefined>();
  const [failure, setFailure] = useState<{ message: string } | undefined>();
  const latestFile = useRef<File | undefined>(undefined);
  const unsaved = useUnsaved();
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  if (!isOperator.value) return <OperatorsOnly />;
  const change = (name: keyof Draft, value: string) => setDraft({ ...draft, [name]: value.trim() });
  const choose = async (chosen: File | undefined) => {
    latestFile.current = chosen;
    setFile(chosen);
    if (chosen === undefined) return;
    const { sha256 } = await readImage(chosen);
    // The hash of a large file may arrive after that of a smaller one that was chosen later.
    if (sha256 === undefined || latestFile.current !== chosen) return;
    setDraft((before) => ({ ...before, sha256 }));
  };
  const publish = async (event: SubmitEvent) => {
    event.preventDefault();
    if (file === undefined) return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    setFailure(undefined);
    setUploaded(0);
    const reply = await call("createRelease", {
      body: {
        ...draft,
        releasedAt,
        size: file.size,
        signature: text("signature"),
        signingKeyId: text("signingKeyId"),
        signatureAlgorithm: text("signatureAlgorithm"),
        rolloutChannel: text("rolloutChannel"),
        rolloutPercent: Number(text("rolloutPercent")),
        mandatory: form.has("mandatory"),
        notes: text("notes"),
      },
    });
    const upload = reply.ok
      ? await uploadImage(reply.value.release.id, file, setUploaded)
      : { ok: false as const, message: reply.failure.message };
    setUploaded(undefined);
    if (!upload.ok) {
      setFailure(upload);
      if (!isShown.current) showToast(releasesText.publishFailed(draft.version, upload.message));
    }
    if (!upload.ok || !reply.ok) return;
    showToast(releasesText.uploadedHint);
    if (!isShown.current) return;
    unsaved.onSaved();
    navigate(`/releases/${reply.value.release.id}`);
  };
  const lines = linesToSign({ ...draft, releasedAt });
  const complete = Object.values(draft).every((value) => value !== "");
  return (
    <div class="stack medium">
      <div class="stack-small">
        <h1>{releasesText.publishRelease}</h1>
        <p class="muted">{releasesText.publishHint}</p>
      </div>
      <form class="stack" onSubmit={(event) => void publish(event)} onInput={unsaved.onInput}>
        <Card title={releasesText.stepImage}>
          <div class="form">
            <div class="field">
              <label for="image">{releasesText.firmwareImage}</label>
              <input
                id="image"
                type="file"
                class="input"
                required
                onChange={(event) => void choose(event.currentTarget.files?.[0])}
              />
              <p class="hint">{file ? formatBytes(file.size) : releasesText.imageHint}</p>
            </div>
            <div class="form-row">
              <Field
                id="version"
                name="version"
                label={releasesText.version}
                placeholder="1.4.0"
                pattern="\d+\.\d+\.\d+"
                onInput={(value) => change("version", value)}
                required
              />
              <Field
                id="hardware"
                name="targetHardware"
                label={releasesText.targetHardware}
                onInput={(value) => change("targetHardware", value)}
                required
              />
            </div>
            <Field
              id="sha256"
              name="sha256"
              label={releasesText.imageSha256}
              class="mono"
              value={draft.sha256}
              onInput={(value) => change("sha256", value)}
              pattern="[0-9a-f]{64}"
              hint={releasesText.imageSha256Hint}
              required
            />
          </div>
        </Card>
        <Card title={releasesText.stepSignature}>
          <div class="form">
            {complete ? (
              <SignHelp lines={lines} />
            ) : (
              <p class="muted">{releasesText.fillInImageFirst}</p>
            )}
            <Field
              id="signature"
              name="signature"
              label={releasesText.signatureAsBase64}
              class="mono"
              required
            />
            <div class="form-row">
              <Field
                id="key-id"
                name="signingKeyId"
                label={releasesText.signingKey}
                hint={releasesText.signingKeyHint}
                required
              />
              <div class="field">
                <label for="algorithm">{releasesText.algorithm}</label>
                <select id="algorithm" name="signatureAlgorithm" class="input">
                  <option value="ecdsa-p256-sha256">{releasesText.ecdsaP256}</option>
                  <option value="ed25519">{releasesText.ed25519}</option>
                </select>
              </div>
            </div>
          </div>
        </Card>
        <Card title={releasesText.stepRollout}>
          <div class="form">
            <div class="form-row">
              <Field
                id="channel"
                name="rolloutChannel"
                label={releasesText.channel}
                defaultValue="stable"
                required
              />
              <Field
                id="percent"
                name="rolloutPercent"
                label={releasesText.shareOfDevicesPercent}
                type="number"
                min={0}
                max={100}
                defaultValue={10}
                required
              />
            </div>
            <label class="check">
              <input type="checkbox" name="mandatory" />
              <span class="label">{releasesText.mandatory}</span>
            </label>
            <div class="field">
              <label for="notes">{releasesText.releaseNotes}</label>
              <textarea id="notes" name="notes" class="input" maxLength={2000} />
            </div>
          </div>
        </Card>
        <ErrorNotice failure={failure} />
        {uploaded !== undefined && (
          <div class="stack-small">
            <progress class="progress" value={uploaded} max={1} aria-label={releasesText.upload} />
            <p class="small muted" role="status">
              {releasesText.uploadedPercent(Math.round(uploaded * 100))}
            </p>
          </div>
        )}
        <div>
          <button type="submit" class="button primary" disabled={uploaded !== undefined}>
            {releasesText.uploadAsDraft}
          </button>
        </div>
      </form>
    </div>
  );
}
