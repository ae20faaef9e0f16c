/**
 * Compares two `major.minor.patch` versions as numbers (§1). Returns a negative number if `a` is earlier, 0 if they are
 * equal, and a positive number if `a` is later.
 */
export function compareFirmwareVersions(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let part = 0; part < 3; part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns whether firmware of this version must send a claim code at registration (§10). */
export function mustSendClaimCode(firmwareVersion: string): boolean {
  return compareFirmwareVersions(firmwareVersion, "0.1.4") >= 0;
}

/** Returns the version without leading zeros. Releases are stored and found in this form. */
export const canonicalVersion = (version: string): string =>
  version.split(".").map(Number).join(".");
