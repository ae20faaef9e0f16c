/**
 * Compares two `major.minor.patch` versions as numbers: negative when `a` is earlier, 0 when they
 * are the same, positive when `a` is later (contract §1).
 */
export function compareFirmwareVersions(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let place = 0; place < 3; place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Firmware from 0.1.4 on must send a claim code when it registers (specification §9). */
export function mustSendClaimCode(firmwareVersion: string): boolean {
  return compareFirmwareVersions(firmwareVersion, "0.1.4") >= 0;
}

/** The only spelling of a version: releases are found by it. */
export const canonicalVersion = (version: string): string =>
  version.split(".").map(Number).join(".");
