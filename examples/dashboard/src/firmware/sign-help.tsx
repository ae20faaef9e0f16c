import * as firmwareText from "../text/firmware.js";
import { copyText } from "../ui/copy-text.js";

const copy = (text: string) => {
  void copyText(text, firmwareText.commandCopied);
};

const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Shows the command that signs the release on the operator's own machine. */
export function SignHelp({ lines }: { lines: string }) {
  const command = `printf %s ${shellQuote(lines)} | openssl dgst -sha256 -sign key.pem | base64 -w0`;
  return (
    <div class="stack-small">
      <p class="muted">{firmwareText.signHint}</p>
      <pre class="command-line mono">{command}</pre>
      <div>
        <button type="button" class="button small" onClick={() => copy(command)}>
          {firmwareText.copyCommand}
        </button>
      </div>
    </div>
  );
}
