import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { mayLeave } from "./unsaved.js";

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const read = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
});

/** The page that the browser's address names. */
export const place = signal<Place>(read());
let shownUrl = location.href;
const show = () => {
  shownUrl = location.href;
  place.value = read();
};
addEventListener("popstate", () => {
  const shown = new URL(shownUrl);
  // "Skip to content" and links in e-mails may change only the fragment. That does not leave the page.
  if (shown.pathname === location.pathname && shown.search === location.search) {
    shownUrl = location.href;
  } else if (mayLeave()) show();
  else history.pushState(null, "", shownUrl);
});

/** Goes to a page of this origin. With `replace`, the Back button skips the current page. */
export function navigate(to: string, { replace = false } = {}): void {
  const url = new URL(to, location.href);
  if (url.origin !== location.origin || !mayLeave()) return;
  history[replace ? "replaceState" : "pushState"](null, "", url);
  show();
  scrollTo(0, 0);
}

/** Changes the query without adding a history entry. */
export function setQuery(
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of [value ?? []].flat()) query.append(name, one);
  }
  const text = query.toString();
  history.replaceState(null, "", text === "" ? location.pathname : `?${text}`);
  show();
}

/** Returns the parameters of a path that matches a pattern such as `/devices/:id`, else undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, actual] = [pattern.split("/"), path.replace(/\/$/, "").split("/")];
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    const text = actual[i] ?? "";
    if (part.startsWith(":")) {
      try {
        params[part.slice(1)] = decodeURIComponent(text);
      } catch {
        return undefined;
      }
    } else if (part !== text) return undefined;
  }
  return params;
}

export const devicePath = (deviceId: string, tab = "") =>
  `/devices/${encodeURIComponent(deviceId)}${tab === "" ? "" : `/${tab}`}`;

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another view of the page. It does not reload the page. */
export function Link({ to, current = false, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
    if (opensElsewhere) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={onClick} {...(current && { "aria-current": "page" as const })} {...rest}>
      {children}
    </a>
  );
}
