import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/node/index.ts",
    "src/update/index.ts",
    "src/cli/index.ts",
    "src/cli/main.ts",
  ],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
