import { useEffect, useRef } from "preact/hooks";
import * as shellText from "./text/shell.js";

const unsavedForms = new Set<object>();

/** Asks the user whether to discard unsaved changes, if there are any. Returns whether the page may be left. */
export const mayLeave = (): boolean => unsavedForms.size === 0 || confirm(shellText.leaveUnsaved);

/** Drops all unsaved changes without a question, because their user signs out. */
export const discardUnsaved = () => unsavedForms.clear();

addEventListener("beforeunload", (event) => {
  if (unsavedForms.size > 0) event.preventDefault();
});

/** Returns handlers that protect a form's unsaved changes. Pass `onInput` to the form, and call `onSaved` after saving. */
export function useUnsaved() {
  const { current: form } = useRef({});
  const onSaved = () => void unsavedForms.delete(form);
  useEffect(() => onSaved, []);
  return { onInput: () => void unsavedForms.add(form), onSaved };
}
