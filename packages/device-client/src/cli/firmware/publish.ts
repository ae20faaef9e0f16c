import { type OperatorRelease, ReleaseRequest } from "@device-gateway/core/contract";
import { type CliContext, CliError, defineCommand, exitCodes, type Values } from "../command.js";
import { createOperatorApi, type OperatorApi, serverOptions } from "../operator-api.js";
import { createProgress } from "../progress.js";
import { type ImageFile, readImageFile } from "./image-file.js";
import { readPercent } from "./read-percent.js";
import { readSigningKey } from "./signing-key.js";
import { uploadImage } from "./upload-image.js";

const options = {
  version: { type: "string", value: "X.Y.Z", help: "The image's version.", required: true },
  target: {
    type: "string",
    value: "NAME",
    help: "The hardware that it is for, as devices name theirs.",
    required: true,
  },
  key: { type: "string", value: "FILE", help: "The private key that signs it.", required: true },
  "key-id": {
    type: "string",
    value: "NAME",
    help: "The key's name on the server and in the firmware; without it: the file's.",
  },
  channel: {
    type: "string",
    value: "NAME",
    help: "Devices on this channel are offered it.",
    default: "stable",
  },
  rollout: { type: "string", value: "PERCENT", help: "Share of the devices.", default: "100" },
  notes: { type: "string", value: "TEXT", help: "What is new, for people." },
  mandatory: { type: "boolean", help: "Marks it as one that devices should not put off." },
  "min-version": {
    type: "string",
    value: "X.Y.Z",
    help: "What a device must run, at least, to be offered it.",
  },
  draft: { type: "boolean", help: "Uploads it, and offers it to nobody yet." },
  ...serverOptions,
} as const;

type PublishValues = Values<typeof options>;

/** To the second: field firmware compares what it is sent with what was signed. */
const signingTime = (now: number) => new Date(now).toISOString().replace(/\.\d+Z$/, "Z");

async function makeRequest(
  values: PublishValues,
  { sha256, size }: ImageFile,
  now: number,
): Promise<ReleaseRequest> {
  const { version, target, key: file, "key-id": keyId, "min-version": minVersion } = values;
  const key = await readSigningKey(file, keyId);
  const facts = { version, targetHardware: target, releasedAt: signingTime(now), sha256 };
  const request = ReleaseRequest.safeParse({
    ...facts,
    size,
    signature: key.sign(facts),
    signingKeyId: key.id,
    signatureAlgorithm: key.algorithm,
    rolloutChannel: values.channel,
    rolloutPercent: readPercent("--rollout", values.rollout),
    mandatory: values.mandatory,
    ...(values.notes !== undefined && { notes: values.notes }),
    ...(minVersion !== undefined && { minVersion }),
  });
  if (request.success) return request.data;
  const wrong = request.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CliError(`This is no release: ${wrong.join("; ")}.`, exitCodes.usage);
}

function warnOfMismatch({ tell }: CliContext, { description }: ImageFile, version: string): void {
  if (description === null || description.version.replace(/^v/, "") === version) return;
  tell(
    `Warning: the image says that it is ${description.project} ${description.version}, not ${version}. A device that runs it would not know itself as ${version}.`,
  );
}

/** What can't be changed of a release that is there already. */
function warnOfDifferences({ tell }: CliContext, wanted: ReleaseRequest, there: OperatorRelease) {
  const differing = (["notes", "mandatory", "minVersion", "signingKeyId"] as const).filter(
    (name) => wanted[name] !== there[name],
  );
  if (differing.length === 0) return;
  tell(
    `Warning: release ${there.id} stays as it was created: ${differing.join(", ")} can't be changed. Publish another version for that.`,
  );
}

const keyAdvice = ({ signingKeyId: id }: ReleaseRequest) => ({
  unknown_signing_key: `The server has no public key "${id}". Put ${id}.public.pem into the folder firmware-keys of its data and start it again: it reads keys at its start. Or sign with a key that it has.`,
});

async function activate(
  api: OperatorApi,
  { id, status }: OperatorRelease,
  { rolloutChannel, rolloutPercent }: ReleaseRequest,
): Promise<OperatorRelease> {
  if (status === "paused") {
    throw new CliError(
      `Release ${id} is paused. Look why, then: device-gateway firmware resume ${id}`,
    );
  }
  const body = { status: "active", rolloutChannel, rolloutPercent } as const;
  const answer = await api.call("changeRelease", { params: { releaseId: String(id) }, body });
  return answer.body.release;
}

/** `device-gateway firmware publish`: signs here, and is safe to repeat after any failure. */
export const publish = defineCommand({
  name: "firmware publish",
  summary: "Signs an image, uploads it and offers it to devices.",
  operands: ["IMAGE"],
  options,
  notes: [
    "The private key stays here: the server gets the signature alone. After a failure, run the same",
    "command again: it goes on where it stood, and never publishes twice.",
    "",
    "Example:",
    "  device-gateway firmware publish app.bin --version 1.4.0 --target esp32dev --rollout 10 \\",
    "    --key release.private.pem --url https://gateway.example.com",
  ].join("\n"),
  async run(context, { operands: [path], values }) {
    const { print, show, tell } = context;
    const api = createOperatorApi(context, values);
    const image = await readImageFile(path);
    warnOfMismatch(context, image, values.version);
    const request = await makeRequest(values, image, context.now());
    const created = await api.call("createRelease", { body: request }, keyAdvice(request));
    let { release } = created.body;
    const { id, hasImage, version } = release;
    const releaseId = String(id);
    if (created.status === 201)
      tell(`Release ${id} is a draft, signed with ${release.signingKeyId}.`);
    else {
      tell(`Release ${id} is there already, with this image. Going on with it.`);
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
      tell("The image is stored, and is the one that was signed.");
    }
    if (!values.draft) release = await activate(api, release, request);
    const { status, rolloutChannel, rolloutPercent, targetHardware } = release;
    print(
      status === "active"
        ? `Release ${id}: ${version} for ${targetHardware} is offered to ${rolloutPercent} % of the devices on ${rolloutChannel}.`
        : `Release ${id}: ${version} for ${targetHardware} is a draft. Offer it: device-gateway firmware resume ${releaseId}`,
    );
  },
});
