import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/cloud/index.ts", "src/control/index.ts"],
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
