const storageKey = "demo-token";

/**
 * Stores the token of the demo link (`#demo=…`) and removes it from the address, so that nobody shares it by accident.
 * Returns whether the address had one.
 */
function takeTokenFromAddress(): boolean {
  const token = /^#demo=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  // Local storage also serves other tabs, such as one with a claim link. The token expires when the server stops.
  localStorage.setItem(storageKey, token);
  history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

/** Stores the token of the demo link now and each time the link is opened in this tab. Only the latter calls `onOpened`. */
export function watchDemoLink(onOpened: () => void): void {
  takeTokenFromAddress();
  addEventListener("hashchange", () => {
    if (takeTokenFromAddress()) onOpened();
  });
}

/** Returns the token of the demo link, or an empty string if this browser has not opened the link. */
export const readDemoToken = (): string => localStorage.getItem(storageKey) ?? "";
