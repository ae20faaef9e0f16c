/**
 * Calls a function every `everyMs` milliseconds while the page is visible, and when it becomes visible again: what it
 * showed before it was hidden may be old. Returns a function that ends this.
 */
export function repeatWhileVisible(act: () => void, everyMs: number): () => void {
  const actIfVisible = () => {
    if (document.visibilityState === "visible") act();
  };
  const timer = setInterval(actIfVisible, everyMs);
  document.addEventListener("visibilitychange", actIfVisible);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", actIfVisible);
  };
}
