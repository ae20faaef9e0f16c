import type { OperatorRelease } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { Card, ErrorNotice } from "../ui/parts.js";
import { uploadImage } from "./upload-image.js";

interface MissingImageProps {
  readonly release: OperatorRelease;
  readonly onDone: () => void;
}

/** An upload that broke off, or was made without its image, is made good here. */
export function MissingImage({ release, onDone }: MissingImageProps) {
  const [share, setShare] = useState<number | undefined>();
  const [failure, setFailure] = useState<{ message: string } | undefined>();
  const upload = async (file: File | undefined) => {
    if (file === undefined) return;
    setFailure(undefined);
    setShare(0);
    const done = await uploadImage(release.id, file, setShare);
    setShare(undefined);
    if (done.ok) onDone();
    else setFailure(done);
  };
  return (
    <Card title="The image is missing">
      <div class="form">
        <ErrorNotice failure={failure} />
        <div class="field">
          <label for="image">Upload the image that was signed</label>
          <input
            id="image"
            type="file"
            class="input"
            disabled={share !== undefined}
            onChange={(event) => void upload(event.currentTarget.files?.[0])}
          />
        </div>
        {share !== undefined && (
          <progress class="progress" value={share} max={1} aria-label="Upload" />
        )}
      </div>
    </Card>
  );
}
