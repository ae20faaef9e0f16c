import { showToast } from "../ui/toast.js";

const copy = (text: string) => {
  void navigator.clipboard.writeText(text).then(() => showToast("Command copied."));
};

const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Shows the command that signs the release on the operator's own machine. */
export function SignHelp({ lines }: { lines: string }) {
  const command = `printf %s ${shellQuote(lines)} | openssl dgst -sha256 -sign key.pem | base64 -w0`;
  return (
    <div class="stack-small">
      <p class="muted">
        Run this on the machine with your P-256 key, then paste the output below. For Ed25519, write
        the four lines to a file and use openssl pkeyutl -sign -rawin.
      </p>
      <pre class="command-line mono">{command}</pre>
      <div>
        <button type="button" class="button small" onClick={() => copy(command)}>
          Copy command
        </button>
      </div>
    </div>
  );
}
