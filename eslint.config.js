import { parser, plugin } from "typescript-eslint";
import { mustUseResult } from "./scripts/eslint/must-use-result.js";

/** Rules that need type information. Biome checks everything else. */
export default [
  { ignores: ["**/dist/", "**/coverage/", "data/", "examples/*/data/"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: {
      parser,
      parserOptions: {
        project: ["./tsconfig.json", "./examples/dashboard/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: {
      "@typescript-eslint": plugin,
      local: { rules: { "must-use-result": mustUseResult } },
    },
    rules: {
      "local/must-use-result": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-unsafe-argument": "error",
      "@typescript-eslint/no-unsafe-assignment": "error",
      "@typescript-eslint/no-unsafe-call": "error",
      "@typescript-eslint/no-unsafe-member-access": "error",
      "@typescript-eslint/no-unsafe-return": "error",
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // Response bodies and matchers are `any` in tests. A wrong assumption about them fails the test.
    files: [
      "**/*.test.ts",
      "**/src/testing/**/*.ts",
      "packages/testing/src/**/*.ts",
      "examples/dashboard/test/**/*.ts",
    ],
    rules: {
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
];
