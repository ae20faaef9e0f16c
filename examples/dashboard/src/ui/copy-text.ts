import * as shellText from "../text/shell.js";
import { showToast } from "./toast.js";

/** Copies a text, and says so with `say`. Browsers allow it only on HTTPS and localhost. */
export async function copyText(
  text: string,
  done: string,
  say: (message: string) => void = showToast,
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(shellText.cannotCopy);
  }
}
