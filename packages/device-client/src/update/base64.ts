/** Reads base64 with padding (RFC 4648 §4); null when it is not exactly as an encoder writes it. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null;
  const binary = atob(text);
  // Spare bits that are set would make two texts of one signature.
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : null;
}
