import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  target: "node20",
  // The workspace's packages are bundled from their sources (the `paths` of tsconfig), so that
  // nothing else needs to be built first.
  noExternal: [/^@device-gateway\//],
  external: ["better-sqlite3", "pg"],
  silent: true,
});
