import type { Problem } from "@device-gateway/core/contract";
import { apiRoutes } from "../api/api-routes.js";
import { toUrl } from "../api/call.js";

export type Upload = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Uploads an image, and tells how far it is: a share of one. `fetch` tells nothing of that. */
export function uploadImage(
  releaseId: number,
  file: Blob,
  onProgress: (share: number) => void,
): Promise<Upload> {
  const [method, path] = apiRoutes.uploadReleaseImage;
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, toUrl(path, { params: { releaseId } }));
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status < 300) return resolve({ ok: true });
      let message = `The server answered ${request.status}. Try again.`;
      try {
        message = (JSON.parse(request.responseText) as Problem).detail;
      } catch {
        // No problem document: a proxy's page, say.
      }
      resolve({ ok: false, message });
    };
    request.onerror = () =>
      resolve({
        ok: false,
        message: "The upload broke off. Check your connection, and try again.",
      });
    request.send(file);
  });
}
