/**
 * Folders import each other in one direction. This rule has a configuration of its own because it ignores
 * tests and type-only imports: the compiler erases types, so they create no run-time dependency.
 */
export default {
  forbidden: [
    {
      name: "no-folder-cycles",
      severity: "error",
      comment: "Move the shared part into the folder that both may import, or pass it in.",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    exclude: ["\\.test\\.ts$", "/src/(.+/)?testing/", "/dist/", "/bin/"],
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: false,
  },
};
