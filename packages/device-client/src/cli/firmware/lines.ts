import { writeFile } from "node:fs/promises";
import { ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import { CliError, defineCommand } from "../command.js";
import { readImageFile } from "./image-file.js";
import { releaseOptions, signedFactsOf, toReleaseError } from "./signed-facts.js";

const options = {
  ...releaseOptions,
  out: {
    type: "string",
    value: "FILE",
    help: "File for the bytes that must be signed.",
    required: true,
  },
} as const;

/** The values of a release that its signature covers, as the server accepts them. */
const SignedValues = ReleaseRequest.pick({
  version: true,
  targetHardware: true,
  releasedAt: true,
  sha256: true,
});

/** `device-gateway firmware lines`: for private keys that cannot leave a KMS or an HSM. */
export const lines = defineCommand({
  name: "firmware lines",
  summary: "Writes the bytes of a release that must be signed, for an HSM or a KMS.",
  operands: ["IMAGE"],
  options,
  notes: [
    "Sign the file with ECDSA over P-256 and SHA-256 (signature in DER), or with Ed25519. Example:",
    "  device-gateway firmware lines app.bin --version 1.4.0 --target esp32dev \\",
    "    --released-at 2026-01-31T12:00:00Z --out lines.txt",
    "  aws kms sign --key-id alias/release --signing-algorithm ECDSA_SHA_256 --message-type RAW \\",
    "    --message fileb://lines.txt --query Signature --output text",
    "Then pass the signature and the same --released-at to `firmware publish`, because the signature covers it.",
  ].join("\n"),
  async run({ print, log, now }, { operands: [path], values }) {
    const facts = signedFactsOf(values, await readImageFile(path), now());
    const checked = SignedValues.safeParse(facts);
    if (!checked.success) throw toReleaseError(checked.error.issues);
    const bytes = signedLines(facts);
    await writeFile(values.out, bytes).catch((fault: Error) => {
      throw new CliError(
        `--out: ${values.out} cannot be written: ${fault.message}. Pass the path of a new file.`,
      );
    });
    print(new TextDecoder().decode(bytes));
    log(
      [
        `${values.out} contains these lines. Sign the file, then run:`,
        `  device-gateway firmware publish ${path} --version ${facts.version} --target ${facts.targetHardware} \\`,
        `    --released-at ${facts.releasedAt} --key-id NAME --signature BASE64`,
      ].join("\n"),
    );
  },
});
