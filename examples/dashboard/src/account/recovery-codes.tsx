import { useEffect, useRef } from "preact/hooks";

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
        Your recovery codes
      </h3>
      <p>
        Keep them where you find them without your phone. Each works once. They are not shown again.
      </p>
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
          Download codes
        </a>
        <button type="button" class="button" onClick={onClose}>
          I have kept them
        </button>
      </div>
    </div>
  );
}
