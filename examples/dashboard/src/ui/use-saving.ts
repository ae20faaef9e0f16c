import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * Blocks a form while it is saved, and until the page has read again what the form shows: what the user typed in
 * between would be lost. `shown` is a new object after each read. `save` starts that read, and returns whether it saved.
 */
export function useSaving(shown: object) {
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<object | undefined>();
  const latest = useRef(shown);
  latest.current = shown;
  const focused = useRef<Element | null>(null);
  const blocked = busy || saved === shown;
  useLayoutEffect(() => {
    if (blocked) return;
    // A field or button that is disabled loses the focus.
    const isLost = document.activeElement === document.body;
    if (isLost && focused.current instanceof HTMLElement) focused.current.focus();
    focused.current = null;
  }, [blocked]);
  const run = async (save: () => Promise<boolean>) => {
    focused.current = document.activeElement;
    setBusy(true);
    if (await save()) setSaved(latest.current);
    setBusy(false);
  };
  return { blocked, run };
}
