import type { ComponentChildren } from "preact";
import * as shellText from "../text/shell.js";
import { Dialog } from "./dialog.js";

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
  return (
    <Dialog title={title} hint={children} onClose={onCancel}>
      <div class="actions">
        <button type="button" class="button danger" disabled={busy} onClick={onConfirm}>
          {action}
        </button>
        <button type="button" class="button quiet" onClick={onCancel}>
          {shellText.cancel}
        </button>
      </div>
    </Dialog>
  );
}
