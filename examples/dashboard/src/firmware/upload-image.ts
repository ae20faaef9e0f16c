import type { Problem } from "@device-gateway/core/contract";
import { apiRoutes } from "../api/api-routes.js";
import { toUrl } from "../api/call.js";
import * as firmwareText from "../text/firmware.js";

/** An upload without progress for this long has failed. */
const maxStallMs = 60_000;

export type Upload = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Uploads an image and reports its progress from 0 to 1. `fetch` does not report upload progress. */
export function uploadImage(
  releaseId: number,
  file: Blob,
  onProgress: (progress: number) => void,
): Promise<Upload> {
  const [method, path] = apiRoutes.uploadReleaseImage;
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, toUrl(path, { params: { releaseId } }));
    request.setRequestHeader("content-type", "application/octet-stream");
    let stalled: ReturnType<typeof setTimeout> | undefined;
    const expectProgress = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), maxStallMs);
    };
    request.upload.onprogress = ({ loaded, total }) => {
      expectProgress();
      onProgress(total > 0 ? loaded / total : 0);
    };
    request.onloadend = () => clearTimeout(stalled);
    request.onload = () => {
      if (request.status < 300) return resolve({ ok: true });
      let message = firmwareText.unexpectedStatus(request.status);
      try {
        message = (JSON.parse(request.responseText) as Problem).detail;
      } catch {
        // The body is no problem document, for example a proxy's error page.
      }
      resolve({ ok: false, message });
    };
    const fail = () =>
      resolve({
        ok: false,
        message: firmwareText.uploadFailed,
      });
    request.onerror = fail;
    request.onabort = fail;
    expectProgress();
    request.send(file);
  });
}
