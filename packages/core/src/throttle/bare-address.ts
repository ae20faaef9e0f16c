import ipaddr from "ipaddr.js";

/** An address as proxies write it: with a port or without, an IPv6 address in brackets or without. */
const forms = /^(?:\[(?<six>[^\]]+)\](?::\d{1,5})?|(?<four>[\d.]+):\d{1,5})$/;

const { IPv4, IPv6 } = ipaddr;

/** Takes the port and the brackets from an address; null if it is none. */
export function bareAddress(text: string): string | null {
  const { six, four = text } = forms.exec(text)?.groups ?? {};
  if (six !== undefined) return IPv6.isValid(six) ? six : null;
  return IPv4.isValidFourPartDecimal(four) || IPv6.isValid(four) ? four : null;
}
