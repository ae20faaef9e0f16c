/** Says what is wrong with a URL that cannot be decoded. It follows the name of the setting. */
export const undecodableUrl =
  "has a % that is not part of a valid escape, such as in the password. Write % as %25.";

/** Returns whether the user name, password and path of a URL can be decoded. */
export function isDecodableUrl(text: string): boolean {
  const { username, password, pathname } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}
