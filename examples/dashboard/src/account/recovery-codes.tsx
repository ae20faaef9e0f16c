import { useEffect, useRef } from "preact/hooks";
import * as accountText from "../text/account.js";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows new recovery codes. They are shown once. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
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
        <button type="button" class="button" onClick={onClose}>
          {accountText.codesKept}
        </button>
      </div>
    </div>
  );
}
