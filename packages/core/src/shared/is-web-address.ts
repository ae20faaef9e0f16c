/** Whether a text is an absolute address of HTTP or HTTPS. */
export const isWebAddress = (url: string): boolean => /^https?:/.test(url) && URL.canParse(url);
