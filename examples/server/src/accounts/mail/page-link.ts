/**
 * Returns a link to a view of the page, with the given parameters in its fragment. Browsers do not send the fragment, so
 * no server logs it, and a mail scanner that opens the link changes nothing.
 */
export const pageLink = (origin: string, path: string, carried: Readonly<Record<string, string>>) =>
  `${origin}${path}#${new URLSearchParams(carried)}`;
