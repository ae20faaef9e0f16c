import { generateKeyPairSync } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../node/sync-folder.js";
import { reasonOf } from "../../reason-of.js";
import { CliError, defineCommand, exitCodes } from "../command.js";

const algorithms = {
  "ecdsa-p256-sha256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ed25519: () => generateKeyPairSync("ed25519"),
} as const;

function pairOf(algorithm: string) {
  if (algorithm === "ecdsa-p256-sha256" || algorithm === "ed25519") return algorithms[algorithm]();
  throw new CliError(
    `--algorithm: "${algorithm}" is unknown. Use ${Object.keys(algorithms).join(" or ")}.`,
    exitCodes.usage,
  );
}

const createFolder = (folder: string) =>
  mkdir(folder, { recursive: true }).catch((fault: unknown) => {
    throw new CliError(
      `--out: ${folder} cannot be created: ${reasonOf(fault)}. Choose another folder.`,
    );
  });

const toWriteError = (file: string, fault: unknown) =>
  new CliError(
    (fault as NodeJS.ErrnoException).code === "EEXIST"
      ? `${file} already exists and is not overwritten. Choose another --id or --out.`
      : `${file} cannot be written: ${reasonOf(fault)}. Choose another --out.`,
  );

/** Durably writes a new file. Leaves no file if that fails. @throws {CliError} also if the file exists. */
async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode).catch((fault: unknown) => {
    throw toWriteError(file, fault);
  });
  try {
    await handle.writeFile(text);
    await handle.sync();
    await syncFolder(dirname(file));
  } catch (fault) {
    await rm(file, { force: true });
    throw toWriteError(file, fault);
  } finally {
    await handle.close();
  }
}

/** `device-gateway firmware keygen` */
export const keygen = defineCommand({
  name: "firmware keygen",
  summary: "Creates a key pair for signing releases.",
  operands: [],
  options: {
    id: {
      type: "string",
      value: "NAME",
      help: "Id of the key in releases.",
      default: "release",
    },
    out: { type: "string", value: "FOLDER", help: "Folder for the two files.", default: "." },
    algorithm: {
      type: "string",
      value: "NAME",
      help: "ecdsa-p256-sha256 (works with field firmware) or ed25519.",
      default: "ecdsa-p256-sha256",
    },
  },
  notes: [
    "NAME.private.pem signs releases. Keep it where you build releases, and a backup in a safe place.",
    "NAME.public.pem verifies them. Give it to the server and build it into the firmware.",
  ].join("\n"),
  async run({ print, log }, { values: { id, out, algorithm } }) {
    if (!/^[\w.-]{1,64}$/.test(id)) {
      throw new CliError("--id: Use 1 to 64 of A-Z a-z 0-9 . _ -", exitCodes.usage);
    }
    const { privateKey, publicKey } = pairOf(algorithm);
    const [privateFile, publicFile] = ["private", "public"].map((kind) =>
      join(out, `${id}.${kind}.pem`),
    ) as [string, string];
    await createFolder(out);
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    await writeNew(publicFile, pem, 0o644);
    const secret = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await writeNew(privateFile, secret, 0o600).catch(async (fault: unknown) => {
      await rm(publicFile, { force: true });
      throw fault;
    });
    print(privateFile);
    print(publicFile);
    log(
      `Give ${publicFile} to the server and build it into the firmware, in both places with the id "${id}". Keep ${privateFile} secret.`,
    );
  },
});
