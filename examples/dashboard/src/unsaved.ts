import { useEffect, useRef } from "preact/hooks";
import * as shellText from "./text/shell.js";

/** The forms with unsaved changes, and what the page asks before it is left. */
const unsavedForms = new Map<object, string>();

/** Asks the user whether to discard unsaved changes, if there are any. Returns whether the page may be left. */
export const mayLeave = (): boolean =>
  unsavedForms.size === 0 || confirm([...new Set(unsavedForms.values())].join(" "));

/** Drops all unsaved changes without a question, because their user signs out. */
export const discardUnsaved = () => unsavedForms.clear();

addEventListener("beforeunload", (event) => {
  if (unsavedForms.size > 0) event.preventDefault();
});

/**
 * Returns handlers that protect a form's unsaved changes. Pass `onInput` to the form, and call `onSaved` after saving.
 * `question` is what the page asks before it is left.
 */
export function useUnsaved(question: string = shellText.leaveUnsaved) {
  const { current: form } = useRef({});
  const onSaved = () => void unsavedForms.delete(form);
  /** Asks the user whether to discard this form's unsaved changes, if there are any. Returns whether it may go. */
  const mayDiscard = () => {
    if (unsavedForms.has(form) && !confirm(question)) return false;
    onSaved();
    return true;
  };
  useEffect(() => onSaved, []);
  return { onInput: () => void unsavedForms.set(form, question), onSaved, mayDiscard };
}

/** Protects what is shown only once until the user says so with `onSaved`, or agrees to leave it. */
export function useShownOnce(question: string) {
  const { onInput, onSaved } = useUnsaved(question);
  useEffect(onInput, []);
  return { onSaved };
}
