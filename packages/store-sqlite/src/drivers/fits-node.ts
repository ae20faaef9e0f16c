/** Whether a version of better-sqlite3 runs on a version of Node, and what to do if not. */
export type Fit =
  | { readonly kind: "fits" }
  | { readonly kind: "aborts" | "cannot-run"; readonly advice: string };

/**
 * Says whether better-sqlite3 fits Node.
 *
 * - Version 13 needs Node 22. On Node 20, its first call ends the process with a segmentation fault.
 * - Version 12 uses `node::ObjectWrap`. From Node 24.19 on, that aborts the process when the garbage collector frees a
 *   statement outside of a call (docs/decisions/0080).
 *
 * @param nodeVersion `process.versions.node`
 * @param hasExplain Whether the class `Database` has the method `explain`, which came with version 13.
 */
export function fitsNode(nodeVersion: string, hasExplain: boolean): Fit {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  if (hasExplain && major < 22)
    return {
      kind: "cannot-run",
      advice: `better-sqlite3 13 does not run on Node ${nodeVersion}. Install version 12 (npm install better-sqlite3@12), or use Node 22 or later.`,
    };
  if (!hasExplain && (major > 24 || (major === 24 && minor >= 19)))
    return {
      kind: "aborts",
      advice: `better-sqlite3 12 can abort this process on Node ${nodeVersion}. Install version 13: npm install better-sqlite3@13`,
    };
  return { kind: "fits" };
}
