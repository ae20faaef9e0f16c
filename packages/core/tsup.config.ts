import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/store.ts",
    "src/contract/index.ts",
    "src/node/index.ts",
    // Entries of their own, so that index.js itself needs neither zod nor neverthrow: a bundler keeps their code, because
    // it may have side effects.
    "src/api/publish-release.ts",
    "src/api/read-metadata.ts",
    "src/auth/generate-secrets.ts",
    "src/gateway.ts",
  ],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
