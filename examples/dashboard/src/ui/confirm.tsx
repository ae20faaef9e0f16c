import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as shellText from "../text/shell.js";

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation. Escape and Cancel change nothing. */
export function Confirm(props: ConfirmProps) {
  const { title, action, busy = false, onConfirm, onCancel, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onCancel}>
      <div class="stack">
        <div class="stack-small">
          <h2 id="confirm-title">{title}</h2>
          {children}
        </div>
        <div class="actions">
          <button type="button" class="button danger" disabled={busy} onClick={onConfirm}>
            {action}
          </button>
          <button type="button" class="button quiet" onClick={onCancel}>
            {shellText.cancel}
          </button>
        </div>
      </div>
    </dialog>
  );
}
