import { useEffect, useRef } from "preact/hooks";
import * as accountText from "../text/account.js";
import { useShownOnce } from "../unsaved.js";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows new recovery codes. They are shown once, so the page asks before it is left. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const { onSaved } = useShownOnce(accountText.leaveCodes);
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus was removed.
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="stack-small">
      <h3 tabIndex={-1} ref={heading}>
        {accountText.recoveryCodes}
      </h3>
      <p>{accountText.recoveryCodesHint}</p>
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <a
          class="button"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join("\n")}\n`)}`}
        >
          {accountText.downloadCodes}
        </a>
        <button
          type="button"
          class="button"
          onClick={() => {
            onSaved();
            onClose();
          }}
        >
          {accountText.codesKept}
        </button>
      </div>
    </div>
  );
}
