import { compareVersions } from "../../update/offer/version.js";

const ascending = [
  "0.0.0",
  "0.0.1",
  "0.1.4",
  "0.1.10",
  "0.2.0",
  "1.0.0",
  "1.9.99",
  "1.10.0",
  "10.0.0",
  "999999999.0.0",
];

/** Creates valid and invalid versions, and the comparison of every pair of valid ones. */
export function makeVersionVectors() {
  return {
    about:
      "A version is major.minor.patch, each of 1 to 9 decimal digits, compared as numbers. `expected` is -1 if a is earlier than b, 0 if they are equal, 1 if a is later.",
    valid: [...ascending, "01.002.0003"],
    invalid: [
      "",
      "1",
      "1.2",
      "1.2.3.4",
      "v1.2.3",
      "1.2.3-rc.1",
      "1.2.x",
      "1..3",
      " 1.2.3",
      "1.2.3\n",
      "1.2.-3",
      "+1.2.3",
      "1234567890.0.0",
      "١.٢.٣",
    ],
    comparisons: [
      ...ascending.flatMap((a) =>
        ascending.map((b) => ({ a, b, expected: compareVersions(a, b) })),
      ),
      { a: "01.002.0003", b: "1.2.3", expected: 0 },
    ],
  };
}
