import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  target: "node20",
  // The workspace's packages are bundled from their sources (`paths` in tsconfig), so that they need no build first.
  noExternal: [/^@device-gateway\//],
  external: ["better-sqlite3", "pg"],
  silent: true,
});
