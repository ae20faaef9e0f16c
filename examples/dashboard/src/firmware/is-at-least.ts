// The language is fixed, because some languages ignore the dots.
const versions = new Intl.Collator("en", { numeric: true });

/** Returns whether a firmware version is another one or a later one. */
export const isAtLeast = (version: string, other: string): boolean =>
  versions.compare(version, other) >= 0;
