import { signal } from "@preact/signals";

const text = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for five seconds. */
export function showToast(message: string): void {
  text.value = message;
  clearTimeout(timer);
  timer = setTimeout(() => {
    text.value = "";
  }, 5000);
}

export const Toast = () => (
  <div class={`toast ${text.value === "" ? "" : "shown"}`} role="status">
    {text.value}
  </div>
);
