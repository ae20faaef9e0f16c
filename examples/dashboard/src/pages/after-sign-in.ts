import { navigate, place } from "../router.js";

const signInPaths = [
  "/sign-in",
  "/sign-up",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
];

/** Whether it is a path of this page. What begins with two slashes is another site. */
export const isLocalPath = (asked: string) => /^\/(?![/\\])/.test(asked);

/** Where somebody wanted to go before they were asked who they are, as a path of this page. */
export function requestedPath(): string {
  const { path, query } = place.value;
  const asked = query.get("next") ?? "";
  if (isLocalPath(asked)) return asked;
  return signInPaths.includes(path) ? "/" : path + (query.size > 0 ? `?${query}` : "");
}

/** A link that remembers it. */
export function withRequestedPath(path: string): string {
  const wanted = requestedPath();
  return wanted === "/" ? path : `${path}?next=${encodeURIComponent(wanted)}`;
}

export const goToRequestedPath = (to = requestedPath()) => navigate(to, { replace: true });
