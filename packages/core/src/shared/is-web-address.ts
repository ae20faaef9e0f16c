/** Returns whether a text is an absolute HTTP or HTTPS URL. */
export const isWebAddress = (url: string): boolean => /^https?:/.test(url) && URL.canParse(url);
