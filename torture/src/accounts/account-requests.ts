import { request } from "node:http";
import type { Dice } from "../dice.js";
import { listAccountEndpoints } from "../neighbours/requests/account-endpoints.js";
import { sequence } from "../neighbours/requests/message.js";

/** An endpoint of better-auth, with a body that its schema accepts. */
export interface AccountRoute {
  readonly method: string;
  /** Below `/api/auth`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let fills = 0;
let addresses = 0;

/** Lists every endpoint that better-auth has for the bundled server. `fill` replaces fields by name. */
export async function listAccountRoutes(): Promise<readonly AccountRoute[]> {
  const endpoints = await listAccountEndpoints();
  return endpoints
    .filter(({ path }) => path.startsWith("/api/auth/"))
    .map(({ method, path, samples }) => ({
      method,
      path: path.slice("/api/auth".length),
      body: (samples("")[0]?.body ?? {}) as AccountRoute["body"],
    }));
}

/** Fills the placeholders of a body, and replaces the fields that it has by those given. */
export function fillBody(
  { body }: AccountRoute,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  fills += 1;
  const text = JSON.stringify(body).replaceAll(sequence, String(fills));
  const filled = JSON.parse(text) as Record<string, unknown>;
  for (const name of Object.keys(filled)) if (name in fields) filled[name] = fields[name];
  return filled;
}

/** Whether the endpoint may end the session of the request: a sign-out, a revocation, or the account's deletion. */
export const endsSession = ({ path }: AccountRoute) => /sign-out|revoke|delete-user/.test(path);

/** A sign-up says that an address is taken: SECURITY.md lists this under the known disclosures. */
export const signsUp = ({ path }: AccountRoute) => path.startsWith("/sign-up/");

/** Returns an address of the client that no other request has. The scene's server trusts one proxy. */
export const newAddress = () => {
  addresses += 1;
  return [10, (addresses >> 16) & 255, (addresses >> 8) & 255, addresses & 255].join(".");
};

/** Spellings that a proxy or a URL parser reduces to the same path. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => `/api/auth${path}/`,
  (path) => `/api/auth/.${path}`,
  (path) => `/api/auth/x/..${path}`,
  (path) => `/api/auth/%2e${path}`,
  (path) => `/api/auth/${path}`,
  (path) => `/API/auth${path}`,
  (path) => `/api/auth${path}%2F`,
  (path) => `/api/auth${path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`)}`,
  (path) => `/api/auth${path}?x=1`,
  (path) => `/api/auth${path};x`,
];

/** Headers with which an attacker claims to be somebody or somewhere else. */
const disguises: readonly Readonly<Record<string, string>>[] = [
  { host: "evil.example" },
  { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
  { forwarded: "for=127.0.0.1;host=evil.example" },
  { "x-real-ip": "127.0.0.1", "x-device-gateway-client-address": "127.0.0.1" },
  { "x-original-url": "/api/auth/get-session", "x-rewrite-url": "/api/auth/get-session" },
  { "x-http-method-override": "POST" },
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { origin: "null" },
];

interface Variant {
  readonly path: string;
  readonly disguise: Readonly<Record<string, string>>;
}

/** Returns an endpoint's plain request and disguised ones: all in the long form, else a random one. */
export function variantsOf({ path }: AccountRoute, dice: Dice, long: boolean): readonly Variant[] {
  const plain = { path: `/api/auth${path}`, disguise: {} };
  if (!long) return [plain, { path: dice.pick(spellings)(path), disguise: dice.pick(disguises) }];
  return [
    plain,
    ...spellings.map((spell) => ({ path: spell(path), disguise: {} })),
    ...disguises.map((disguise) => ({ ...plain, disguise })),
  ];
}

interface Sent {
  readonly method: string;
  /** Sent unchanged. `fetch` would resolve its dots. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

/** Sends a request exactly as it is given. */
export const sendExactly = (url: string, { method, path, headers, body }: Sent) =>
  new Promise<Answered>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const startedAt = performance.now();
    const options = { hostname, port, method, path, headers: { ...length, ...headers } };
    request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => {
        const milliseconds = performance.now() - startedAt;
        resolve({ status: response.statusCode ?? 0, text, milliseconds });
      });
    })
      .on("error", reject)
      .end(body);
  });
