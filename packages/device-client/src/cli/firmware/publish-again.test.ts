import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fetch } from "../../call-route.js";
import { runCli } from "../../testing/run-cli.js";
import { makeTempFolder } from "../../testing/temp-folder.js";

test.each([
  [{ status: "draft" }, "a draft. To offer it: device-gateway firmware resume 1"],
  [{ status: "active" }, "offered to 10 % of the devices on stable."],
  [{ status: "paused" }, "paused."],
  [{ status: "paused", haltedAt: "2026-01-31T12:00:00Z" }, "halted."],
  [{ status: "withdrawn", haltedAt: "2026-01-31T12:00:00Z" }, "withdrawn."],
  [{ status: "withdrawn" }, "withdrawn."],
])("§8 publish --draft prints the status of an existing release: %j", async (state, printed) => {
  const folder = await makeTempFolder();
  await runCli(["firmware", "keygen", "--out", folder]);
  await writeFile(join(folder, "app.bin"), "image");
  const release = {
    ...{ id: 1, version: "1.4.0", targetHardware: "esp32dev", hasImage: true, haltedAt: null },
    ...{ rolloutPercent: 10, rolloutChannel: "stable", ...state },
  };
  const fetch: Fetch = async () => Response.json({ release });
  const { exitCode, out } = await runCli(
    [
      ...["firmware", "publish", join(folder, "app.bin"), "--draft"],
      ...["--version", "1.4.0", "--target", "esp32dev"],
      ...["--key", join(folder, "release.private.pem")],
      ...["--url", "http://gateway.test", "--token", "t"],
    ],
    { fetch },
  );
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: `Release 1: 1.4.0 for esp32dev is ${printed}`,
  });
});
