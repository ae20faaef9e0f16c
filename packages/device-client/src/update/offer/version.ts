const pattern = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** Returns whether a text is a version: `major.minor.patch`, each of 1 to 9 digits (§1). */
export const isVersion = (text: string): boolean => pattern.test(text);

/** Compares two valid versions as numbers. Returns -1 if `a` is earlier, 0 if equal, 1 if later. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let place = 0; place < 3; place++) {
    const difference = (left[place] as number) - (right[place] as number);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return 0;
}
