import { sign } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { DemoKey } from "../../server/src/demo/firmware/demo-key.js";
import { createDemoImage } from "../../server/src/demo/firmware/publish-demo-firmware.js";

/** Opens the form for a new release and fills in version 1.1.0 of the demo's firmware, with its signature. */
export async function fillInRelease(operator: Page, key: DemoKey | null): Promise<void> {
  await operator.goto("/releases");
  await operator.getByRole("link", { name: "Publish release" }).click();
  const image = {
    name: "demo.bin",
    mimeType: "application/octet-stream",
    buffer: createDemoImage(),
  };
  await operator.getByLabel("Firmware image").setInputFiles(image);
  await operator.getByLabel("Version").fill("1.1.0");
  await operator.getByLabel("Target hardware").fill("demo-thermometer");
  const command = (await operator.locator(".command-line").textContent()) ?? "";
  const lines = /'([^']*)'/.exec(command)?.[1] ?? "";
  expect(lines).toMatch(/^1\.1\.0\ndemo-thermometer\n[^\n]+Z\n[0-9a-f]{64}$/);
  if (key === null) throw new Error("The demo has no key");
  const signature = sign("sha256", Buffer.from(lines), key.privateKey).toString("base64");
  await operator.getByLabel("Signature (base64)").fill(signature);
  await operator.getByLabel("Signing key").fill("demo");
  await operator.getByLabel("Share of devices (percent)").fill("100");
}
