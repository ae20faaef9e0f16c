import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/store.ts",
    "src/contract/index.ts",
    "src/node/index.ts",
    // Entries of their own, so that index.js only exports: a bundler then takes only the files that a program uses.
    "src/auth/generate-secrets.ts",
    "src/gateway.ts",
  ],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
