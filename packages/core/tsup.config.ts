import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/store.ts",
    "src/contract/index.ts",
    "src/node/index.ts",
    "src/auth/generate-secrets.ts",
  ],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
