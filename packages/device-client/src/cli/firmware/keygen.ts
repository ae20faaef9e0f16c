import { generateKeyPairSync } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CliError, defineCommand, exitCodes } from "../command.js";

const algorithms = {
  "ecdsa-p256-sha256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ed25519: () => generateKeyPairSync("ed25519"),
} as const;

function pairOf(algorithm: string) {
  if (algorithm === "ecdsa-p256-sha256" || algorithm === "ed25519") return algorithms[algorithm]();
  throw new CliError(
    `--algorithm: "${algorithm}" is none. Choose ${Object.keys(algorithms).join(" or ")}.`,
    exitCodes.usage,
  );
}

/** Writes a file that was not there, durably. */
async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode).catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(
      cause.code === "EEXIST"
        ? `${file} exists, and a key that is overwritten is lost. Choose another --id or --out.`
        : `${file} can't be written: ${cause.message}. Choose another --out.`,
    );
  });
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `device-gateway firmware keygen` */
export const keygen = defineCommand({
  name: "firmware keygen",
  summary: "Makes a pair of keys to sign releases with.",
  operands: [],
  options: {
    id: {
      type: "string",
      value: "NAME",
      help: "What releases name the key by.",
      default: "release",
    },
    out: { type: "string", value: "FOLDER", help: "Where the two files go.", default: "." },
    algorithm: {
      type: "string",
      value: "NAME",
      help: "ecdsa-p256-sha256, which field firmware verifies, or ed25519.",
      default: "ecdsa-p256-sha256",
    },
  },
  notes: [
    "NAME.private.pem signs: keep it where releases are made, and a copy in a safe place.",
    "NAME.public.pem verifies: the server's settings and the firmware get it.",
  ].join("\n"),
  async run({ print, tell }, { values: { id, out, algorithm } }) {
    if (!/^[\w.-]{1,64}$/.test(id)) {
      throw new CliError("--id: 1 to 64 of A-Z a-z 0-9 . _ -, please.", exitCodes.usage);
    }
    const { privateKey, publicKey } = pairOf(algorithm);
    const [privateFile, publicFile] = ["private", "public"].map((kind) =>
      join(out, `${id}.${kind}.pem`),
    ) as [string, string];
    await mkdir(out, { recursive: true });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    await writeNew(publicFile, pem, 0o644);
    const secret = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await writeNew(privateFile, secret, 0o600).catch(async (fault: unknown) => {
      await rm(publicFile);
      throw fault;
    });
    print(privateFile);
    print(publicFile);
    tell(
      `Give ${publicFile} to the server and pin it in the firmware, both under the id "${id}". ${privateFile} stays with you.`,
    );
  },
});
