import {
  type OperatorRelease,
  ReleaseRequest,
  type SignedFacts,
} from "@device-gateway/core/contract";
import { type CliContext, CliError, defineCommand, exitCodes, type Values } from "../command.js";
import { createOperatorApi, type OperatorApi, serverOptions } from "../operator-api.js";
import { createProgress } from "../progress.js";
import { type ImageFile, readImageFile } from "./image-file.js";
import { readPercent } from "./read-percent.js";
import { releaseOptions, signedFactsOf, toReleaseError } from "./signed-facts.js";
import { readSigningKey } from "./signing-key.js";
import { uploadImage } from "./upload-image.js";

const options = {
  ...releaseOptions,
  key: {
    type: "string",
    value: "FILE",
    help: "Private key that signs the release.",
  },
  signature: {
    type: "string",
    value: "BASE64",
    help: "Signature of the lines of `firmware lines`, instead of --key. Needs --released-at and --key-id.",
  },
  algorithm: {
    type: "string",
    value: "NAME",
    help: "Algorithm of --signature: ecdsa-p256-sha256 or ed25519.",
    default: "ecdsa-p256-sha256",
  },
  "key-id": {
    type: "string",
    value: "NAME",
    help: "Id of the key on the server and in the firmware. Default: the name of the file of --key.",
  },
  channel: {
    type: "string",
    value: "NAME",
    help: "Channel of the devices that are offered the release.",
    default: "stable",
  },
  rollout: {
    type: "string",
    value: "PERCENT",
    help: "Percentage of the devices that are offered the release.",
    default: "100",
  },
  notes: { type: "string", value: "TEXT", help: "Release notes." },
  mandatory: {
    type: "boolean",
    help: "Marks the release as one that devices should install at once.",
  },
  "min-version": {
    type: "string",
    value: "X.Y.Z",
    help: "Lowest running version of devices that are offered the release.",
  },
  draft: { type: "boolean", help: "Uploads the image, but does not offer the release yet." },
  ...serverOptions,
} as const;

type PublishValues = Values<typeof options>;

const usage = (message: string) => new CliError(message, exitCodes.usage);

/** Signs a release, or returns the signature of the command line. */
async function signRelease(values: PublishValues, facts: SignedFacts) {
  const { key: file, "key-id": keyId, "released-at": releasedAt, signature, algorithm } = values;
  if ((file === undefined) === (signature === undefined)) {
    throw usage("Pass --key to sign here, or --signature with the signature of `firmware lines`.");
  }
  if (file !== undefined) {
    const key = await readSigningKey(file, keyId);
    return { signature: key.sign(facts), signingKeyId: key.id, signatureAlgorithm: key.algorithm };
  }
  if (releasedAt === undefined || keyId === undefined) {
    throw usage(
      "--signature needs --released-at, the time in the signed lines, and --key-id, the id of the public key on the server.",
    );
  }
  return { signature, signingKeyId: keyId, signatureAlgorithm: algorithm };
}

async function makeRequest(
  values: PublishValues,
  image: ImageFile,
  now: number,
): Promise<ReleaseRequest> {
  const { "min-version": minVersion } = values;
  const facts = signedFactsOf(values, image, now);
  const request = ReleaseRequest.safeParse({
    ...facts,
    ...(await signRelease(values, facts)),
    size: image.size,
    rolloutChannel: values.channel,
    rolloutPercent: readPercent("--rollout", values.rollout),
    mandatory: values.mandatory,
    ...(values.notes !== undefined && { notes: values.notes }),
    ...(minVersion !== undefined && { minVersion }),
  });
  if (request.success) return request.data;
  throw toReleaseError(request.error.issues);
}

function warnOfMismatch({ log }: CliContext, { description }: ImageFile, version: string): void {
  if (description === null || description.version.replace(/^v/, "") === version) return;
  log(
    `Warning: The image contains ${description.project} ${description.version}, not ${version}. A device that runs it will not report ${version}.`,
  );
}

/** Warns of fields that cannot be changed in an existing release. */
function warnOfDifferences({ log }: CliContext, wanted: ReleaseRequest, existing: OperatorRelease) {
  const differing = (["notes", "mandatory", "minVersion", "signingKeyId"] as const).filter(
    (name) => wanted[name] !== existing[name],
  );
  if (differing.length === 0) return;
  log(
    `Warning: Release ${existing.id} already exists and keeps its ${differing.join(", ")}. To change that, publish another version.`,
  );
}

const keyAdvice = ({ signingKeyId: id }: ReleaseRequest) => ({
  unknown_signing_key: `The server has no public key "${id}". Put ${id}.public.pem into the folder firmware-keys of its data folder and restart it, because it reads keys when it starts. Or sign with a key that it has.`,
});

async function activate(
  api: OperatorApi,
  { id, status }: OperatorRelease,
  { rolloutChannel, rolloutPercent }: ReleaseRequest,
): Promise<OperatorRelease> {
  if (status === "paused") {
    throw new CliError(
      `Release ${id} is paused. Find out why. Then run: device-gateway firmware resume ${id}`,
    );
  }
  const body = { status: "active", rolloutChannel, rolloutPercent } as const;
  const answer = await api.call("changeRelease", { params: { releaseId: String(id) }, body });
  return answer.body.release;
}

function describeStatus(release: OperatorRelease): string {
  const { id, status, haltedAt, rolloutPercent, rolloutChannel } = release;
  if (status === "active")
    return `offered to ${rolloutPercent} % of the devices on ${rolloutChannel}.`;
  if (status === "draft") return `a draft. To offer it: device-gateway firmware resume ${id}`;
  return status === "paused" && haltedAt !== null ? "halted." : `${status}.`;
}

/** `device-gateway firmware publish`: signs on this machine and is safe to repeat after any failure. */
export const publish = defineCommand({
  name: "firmware publish",
  summary: "Signs an image, uploads it and offers it to devices.",
  operands: ["IMAGE"],
  options,
  notes: [
    "The private key stays on this machine. The server receives only the signature. After a failure, run",
    "the same command again. It continues and never publishes a release twice.",
    "",
    "Example:",
    "  device-gateway firmware publish app.bin --version 1.4.0 --target esp32dev --rollout 10 \\",
    "    --key release.private.pem --url https://gateway.example.com",
  ].join("\n"),
  async run(context, { operands: [path], values }) {
    const { print, show, log } = context;
    const api = createOperatorApi(context, values);
    const image = await readImageFile(path);
    warnOfMismatch(context, image, values.version);
    const request = await makeRequest(values, image, context.now());
    const created = await api.call("createRelease", { body: request }, keyAdvice(request));
    let { release } = created.body;
    const { id, hasImage, version } = release;
    if (created.status === 201)
      log(`Release ${id} is a draft, signed with ${release.signingKeyId}.`);
    else {
      log(`Release ${id} already exists with this image. Continuing with it.`);
      warnOfDifferences(context, request, release);
    }
    if (!hasImage) {
      await uploadImage(
        api,
        id,
        image,
        createProgress(context, { what: "Uploading", of: image.size }),
      );
      show?.("");
      log("The image is stored and matches its signature.");
    }
    if (!values.draft) release = await activate(api, release, request);
    print(`Release ${id}: ${version} for ${release.targetHardware} is ${describeStatus(release)}`);
  },
});
