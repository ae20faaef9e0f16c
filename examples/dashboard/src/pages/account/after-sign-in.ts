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

export const goToRequestedPath = (to = requestedPath()) => navigate(to, { replace: true });
