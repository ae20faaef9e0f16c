const storageKey = "demo-token";

/** Takes the token of the demo's link (`#demo=…`) out of the address, where it would be copied along. */
function takeTokenFromAddress(): void {
  const token = /^#demo=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  // For other tabs as well, such as that of a claim link. It is worth nothing once the server stops.
  localStorage.setItem(storageKey, token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** Reads the token of the demo's link now and whenever the link is opened in this tab; calls back then. */
export function watchDemoLink(onOpened: () => void): void {
  takeTokenFromAddress();
  addEventListener("hashchange", () => {
    takeTokenFromAddress();
    onOpened();
  });
}

/** The token of the demo's link, or an empty string if this browser has not opened it. */
export const readDemoToken = (): string => localStorage.getItem(storageKey) ?? "";
