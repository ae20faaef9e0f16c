/** What the label of a gateway says. */
export interface Label {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** Returns the label whose claim link a QR code contains, or undefined. The host is ignored, because labels outlive it. */
export function readLabel(text: string): Label | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const [deviceId, claimCode] = [url.searchParams.get("device"), url.searchParams.get("code")];
  return url.pathname.endsWith("/claim") && deviceId && claimCode
    ? { deviceId, claimCode }
    : undefined;
}
