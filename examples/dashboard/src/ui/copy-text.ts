import * as shellText from "../text/shell.js";
import { showToast } from "./toast.js";

/** Copies a text, and says so. Browsers allow it only on HTTPS and localhost. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(done);
  } catch {
    showToast(shellText.cannotCopy);
  }
}
