import { useEffect, useRef } from "preact/hooks";

const unsavedForms = new Set<object>();

/** Asks the user before changes that are not saved are lost. Returns whether to go on. */
export const mayLeave = (): boolean =>
  unsavedForms.size === 0 || confirm("Your changes are not saved. Leave without saving?");

addEventListener("beforeunload", (event) => {
  if (unsavedForms.size > 0) event.preventDefault();
});

/** Returns the handlers of a form whose changes must not get lost: add `onInput` to it, and call `onSaved`. */
export function useUnsaved() {
  const { current: form } = useRef({});
  const onSaved = () => void unsavedForms.delete(form);
  useEffect(() => onSaved, []);
  return { onInput: () => void unsavedForms.add(form), onSaved };
}
