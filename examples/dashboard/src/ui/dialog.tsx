import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  /** An explanation below the title. */
  readonly hint?: ComponentChildren;
  /** Whether Escape does nothing. Default: false. */
  readonly locked?: boolean;
  /** Called when the user presses Escape. The caller removes the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open as long as it is rendered. Afterwards the focus is where it was before. */
export function Dialog({ title, hint, locked = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser returns the focus only if the dialog is closed while it is still in the document.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // A second Escape closes the dialog even if the event below is cancelled.
        if (locked && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        if (locked) event.preventDefault();
      }}
      onClose={() => {
        // The event of a removed dialog arrives later.
        if (dialog.current?.isConnected) onClose();
      }}
    >
      <div class="stack">
        <div class="stack-small">
          <h2 id={titleId}>{title}</h2>
          {hint}
        </div>
        {children}
      </div>
    </dialog>
  );
}
