/**
 * Returns what is wrong with a token that a header cannot have, or null. White space at its end, as in a file, is allowed:
 * `fetch` leaves it out. The sentence does not contain the token, as the message of `fetch` would.
 */
export const findTokenFault = (token: string | undefined): string | null =>
  token === undefined || /^[!-~]*\s*$/.test(token)
    ? null
    : "The token has a space, a line break or another character that no token has. Pass only the token.";
