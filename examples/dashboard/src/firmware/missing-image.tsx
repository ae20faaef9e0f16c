import type { OperatorRelease } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import * as firmwareText from "../text/firmware.js";
import { Card, ErrorNotice } from "../ui/parts.js";
import { uploadImage } from "./upload-image.js";

interface MissingImageProps {
  readonly release: OperatorRelease;
  readonly onDone: () => void;
}

/** Uploads the image of a release that has none, for example after a failed upload. */
export function MissingImage({ release, onDone }: MissingImageProps) {
  const [uploaded, setUploaded] = useState<number | undefined>();
  const [failure, setFailure] = useState<{ message: string } | undefined>();
  const upload = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file === undefined) return;
    setFailure(undefined);
    setUploaded(0);
    const done = await uploadImage(release.id, file, setUploaded);
    setUploaded(undefined);
    if (done.ok) return onDone();
    setFailure(done);
    // Browsers report no change if the user chooses the same file again.
    input.value = "";
  };
  return (
    <Card title={firmwareText.imageMissing}>
      <div class="form">
        <ErrorNotice failure={failure} />
        <div class="field">
          <label for="image">{firmwareText.uploadImage}</label>
          <input
            id="image"
            type="file"
            class="input"
            disabled={uploaded !== undefined}
            onChange={(event) => void upload(event.currentTarget)}
          />
        </div>
        {uploaded !== undefined && (
          <progress class="progress" value={uploaded} max={1} aria-label={firmwareText.upload} />
        )}
      </div>
    </Card>
  );
}
