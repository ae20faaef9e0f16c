import { expect, it } from "vitest";
import { bundlePrograms } from "./bundle-programs.js";

const program = "torture/src/dice.ts";
const change = { name: "after commit", to: "" };

it("a kill point that does not match the source is reported with its name and file", async () => {
  const changes = [{ ...change, file: /src\/dice\.ts$/, from: "there is no such text" }];
  await expect(bundlePrograms([program], { changes })).rejects.toThrow(
    '"after commit" does not match torture/src/dice.ts',
  );
});

it("a kill point in a file that is not bundled is reported with its name and file", async () => {
  const changes = [{ ...change, file: /src\/no-such-file\.ts$/, from: "" }];
  await expect(bundlePrograms([program], { changes })).rejects.toThrow(
    /"after commit" was not planted: no bundled file matches .*no-such-file/,
  );
});
