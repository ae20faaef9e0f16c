import type { GatewayOptions } from "./gateway-options.js";
import { isWebAddress } from "./shared/is-web-address.js";

/** The condition that an option must meet, and the sentence that says what to pass instead. */
type Rule = readonly [accepts: (value: unknown) => boolean, advice: string];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFunction = (value: unknown) => typeof value === "function";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isPath = (value: unknown) => isText(value) && /^(\/[\w.-]+)+$/.test(value);
const listOf = (accepts: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(accepts);
const isTexts = listOf(isText);
/** Methods may be inherited, for example from a class. */
const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown) =>
    isObject(value) && names.every((name) => isFunction(value[name]));

type Members = Readonly<Record<string, (value: unknown) => boolean>>;
/** Accepts an object that has no other members. */
const hasOnly = (members: Members) => (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([name, member]) => members[name]?.(member) ?? false);
const orMissing = (accepts: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || accepts(value);

const isSchema = (value: unknown) =>
  (isObject(value) || isFunction(value)) &&
  isObject((value as Record<string, unknown>)["~standard"]);
const isConfig = hasOnly({
  settings: orMissing(isSchema),
  defaults: orMissing(isObject),
  byTargetHardware: orMissing((value) => isObject(value) && Object.values(value).every(isObject)),
});
const isMetrics = hasOnly({
  defaults: orMissing(isObject),
  byTargetHardware: orMissing((value) => isObject(value) && Object.values(value).every(isObject)),
});
const isMetadata = (value: unknown) =>
  hasOnly({ schema: isSchema, ownerReadable: orMissing(isTexts), indexed: orMissing(isTexts) })(
    value,
  ) &&
  isObject(value) &&
  "schema" in value;
const isCommand = (value: unknown) =>
  hasOnly({
    payload: isSchema,
    sentBy: (who) =>
      listOf((one) => one === "owner" || one === "operator")(who) && (who as unknown[]).length > 0,
    expiresAfterSeconds: orMissing(isCount),
    answerWithinSeconds: orMissing(isCount),
  })(value) &&
  isObject(value) &&
  "payload" in value &&
  "sentBy" in value;
const isCommands = (value: unknown) => isObject(value) && Object.values(value).every(isCommand);
const isKey = (value: unknown) =>
  isObject(value) && isText(value["id"]) && isText(value["publicKey"]);
const isFirmware = (value: unknown) =>
  hasOnly({ keys: listOf(isKey), artifacts: hasMethods("write", "open") })(value) &&
  isObject(value) &&
  "keys" in value &&
  "artifacts" in value;
const isHooks = hasOnly({
  register: orMissing(isFunction),
  claim: orMissing(isFunction),
  release: orMissing(isFunction),
  publish: orMissing(isFunction),
});
const isScryptCost = (value: unknown) =>
  isObject(value) && ["logN", "r", "p"].every((name) => isCount(value[name]));

const trueOrFalse: Rule = [isBoolean, "Pass true or false."];

const rules: Readonly<Record<keyof GatewayOptions, Rule>> = {
  store: [
    // A caller may have forgotten to await the store.
    (value) => isObject(value) && !("then" in value),
    'Pass an open store, such as await openSqliteStore({ file: "gateway.db" }).',
  ],
  secrets: [isObject, "Pass what generateSecrets() returned once, or loadOrCreateSecrets(file)."],
  slowHash: [hasMethods("derive"), "Pass an object with derive, such as createLibuvSlowHash()."],
  hmac: [isFunction, "Pass a function, such as nodeHmac of core/node."],
  digest: [isFunction, "Pass a function, such as nodeDigest of core/node."],
  scryptCost: [isScryptCost, "Pass { logN, r, p } as whole numbers above 0."],
  clock: [hasMethods("now"), "Pass an object with now(), which returns epoch milliseconds."],
  random: [hasMethods("bytes"), "Pass an object with bytes(length), or leave it out."],
  logger: [
    hasMethods("debug", "info", "warn", "error"),
    "Pass an object with debug, info, warn and error, such as a pino logger.",
  ],
  throttle: [hasMethods("take", "giveBack"), "Pass an object with take and giveBack."],
  tracer: [hasMethods("traceRequest", "traceCall"), "Pass createOpenTelemetryTracer(api)."],
  limits: [isObject, "Pass an object with some of the limits, such as { bodyBytes: 32_768 }."],
  basePaths: [
    (value) => listOf(isPath)(value) && (value as unknown[]).length > 0,
    'Pass a list of one or more paths, such as ["/api/v1"], without a slash at the end.',
  ],
  publicUrl: [
    (value) => isText(value) && isWebAddress(value),
    'Pass the URL that devices can reach, such as "https://gateway.example.com", with the mount path, if any.',
  ],
  config: [
    isConfig,
    "Pass some of { settings, defaults, byTargetHardware }. The settings are a schema, such as z.object({ … }).",
  ],
  metadata: [
    isMetadata,
    "Pass { schema, ownerReadable, indexed }. The schema is such as z.object({ … }), the others are lists of its keys.",
  ],
  metrics: [
    isMetrics,
    'Pass some of { defaults, byTargetHardware }, such as { defaults: { voltage: { unit: "V" } } }.',
  ],
  commands: [
    isCommands,
    'Pass { name: { payload, sentBy, expiresAfterSeconds, answerWithinSeconds } }. The payload is a schema, such as z.object({ … }), sentBy a list of "owner" and "operator".',
  ],
  webhooks: [
    hasMethods("list", "create", "change", "remove"),
    "Pass createWebhookManager(store, { secrets }) of @device-gateway/webhooks.",
  ],
  firmware: [
    isFirmware,
    "Pass { keys: [{ id, publicKey }], artifacts }, with artifacts such as createFileArtifactStore({ … }).",
  ],
  customers: [
    hasMethods("authenticateToken"),
    "Pass { authenticateToken: async (token) => user or null }, or createJwtAuthenticator({ … }).",
  ],
  sessions: [
    hasMethods("authenticateRequest"),
    "Pass { authenticateRequest: async (request) => { user, proof } or null }.",
  ],
  requireVerifiedEmail: trueOrFalse,
  before: [
    isHooks,
    "Pass some of { register, claim, release, publish }, each a function that returns a refusal or nothing.",
  ],
  registrationPolicy: [isFunction, "Pass a function, such as decideRegistration."],
  freshCodeAfterRelease: trueOrFalse,
  randomClaimCodes: trueOrFalse,
  productionAddresses: [isTexts, 'Pass a list of ranges, such as ["198.51.100.0/24"].'],
  rotateSecretAfterSeconds: [isCount, "Pass a whole number of seconds above 0."],
  summaryMetrics: [isTexts, 'Pass a list of names, such as ["battery.voltage"].'],
  allowLegacyRegistration: trueOrFalse,
};

const required: readonly (keyof GatewayOptions)[] = ["store", "secrets"];

/**
 * Checks the options at run time, for callers without TypeScript.
 * @throws {TypeError} if an option is invalid or unknown. The message names it and says what to pass.
 */
export function checkOptions(options: GatewayOptions | undefined): void {
  const given: Readonly<Record<string, unknown>> = isObject(options) ? options : {};
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(rules, name)) continue;
    const names = Object.keys(rules).join(", ");
    throw new TypeError(`createGateway: there is no option "${name}". The options are ${names}.`);
  }
  for (const [name, [accepts, advice]] of Object.entries(rules)) {
    const isMissing = given[name] === undefined && !required.includes(name as keyof GatewayOptions);
    if (isMissing || accepts(given[name])) continue;
    throw new TypeError(`createGateway: ${name} is invalid. ${advice}`);
  }
}
