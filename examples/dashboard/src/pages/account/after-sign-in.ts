import { navigate, place } from "../../router.js";

const signInPaths = [
  "/sign-in",
  "/sign-up",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/undo",
];

/** Whether a text is a path of this site. A text that begins with two slashes names another site. */
export const isLocalPath = (path: string) => /^\/(?![/\\])/.test(path);

/** Returns the path that the user asked for before the page asked them to sign in. */
export function requestedPath(): string {
  const { path, query } = place.value;
  const next = query.get("next") ?? "";
  if (isLocalPath(next)) return next;
  return signInPaths.includes(path) ? "/" : path + (query.size > 0 ? `?${query}` : "");
}

/** Returns a path that carries the requested path along. */
export function withRequestedPath(path: string): string {
  const requested = requestedPath();
  return requested === "/" ? path : `${path}?next=${encodeURIComponent(requested)}`;
}

/** Goes to the requested path. If that is the current one, its fragment stays: it has the token of a link in an e-mail. */
export function goToRequestedPath(to = requestedPath()): void {
  const url = new URL(to, location.href);
  if (url.pathname === location.pathname && url.hash === "") url.hash = location.hash;
  navigate(url.href, { replace: true });
}
