import { showToast } from "../ui/toast.js";

const copy = (text: string) => {
  void navigator.clipboard.writeText(text).then(() => showToast("Copied."));
};

const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** What is to be signed, and how, with the key that stays where it is. */
export function SignHelp({ lines }: { lines: string }) {
  const command = `printf %s ${shellQuote(lines)} | openssl dgst -sha256 -sign key.pem | base64 -w0`;
  return (
    <div class="stack-small">
      <p class="muted">
        Run this where your P-256 key is, then paste what it prints. For Ed25519, write the four
        lines to a file and use openssl pkeyutl -sign -rawin.
      </p>
      <pre class="command-line mono">{command}</pre>
      <div>
        <button type="button" class="button small" onClick={() => copy(command)}>
          Copy the command
        </button>
      </div>
    </div>
  );
}
