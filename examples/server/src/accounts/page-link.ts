/**
 * A link to a view of the page. What it carries is in the fragment: browsers do not send it, so it
 * is in no log, and a scanner that opens the link learns and changes nothing.
 */
export const pageLink = (origin: string, path: string, carried: Readonly<Record<string, string>>) =>
  `${origin}${path}#${new URLSearchParams(carried)}`;
