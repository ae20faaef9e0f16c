import ipaddr from "ipaddr.js";

/** Proxies write an address with or without a port, and an IPv6 address with or without brackets. */
const forms = /^(?:\[(?<six>[^\]]+)\](?::\d{1,5})?|(?<four>[\d.]+):\d{1,5})$/;

const { IPv4, IPv6 } = ipaddr;

/** `ipaddr.js` throws an error within `isValid` for other texts, which costs more than parsing an address. */
const isFour = (text: string) => !text.includes(":") && IPv4.isValidFourPartDecimal(text);

/** Removes the port and the brackets from an address. Returns null if the text is not an address. */
export function bareAddress(text: string): string | null {
  const { six, four = text } = forms.exec(text)?.groups ?? {};
  if (six !== undefined) return IPv6.isValid(six) ? six : null;
  return isFour(four) || IPv6.isValid(four) ? four : null;
}
