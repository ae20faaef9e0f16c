import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { toExpressHandler } from "@device-gateway/adapter-express";
import {
  createGateway,
  customer,
  type GatewayOptions,
  operator,
  type Publication,
  publishRelease,
  type User,
} from "@device-gateway/core";
import { loadOrCreateSecrets, onNode, startMaintenance } from "@device-gateway/core/node";
import { type InTransaction, openSqliteStore } from "@device-gateway/store-sqlite";
import Database from "better-sqlite3";
import express, { type Request } from "express";
import { z } from "zod";
import { answer } from "./answer.js";

type Claim = { deviceId: string; claimCode: string };
type SignedRelease = { release: Publication["release"]; image: string };

/** What the product knows about a device. The owner can read the site, and support searches by the number. */
const Facts = z.object({ customerNumber: z.string(), site: z.string().optional() });

/** What the customer's app can tell a device to do. */
const commands = {
  blink: { payload: z.object({ times: z.int().min(1).max(9) }), sentBy: ["owner"] },
} as const;

/** Keeps one subscription per owned device. The row is committed with the claim, or not at all. */
const bookDevice: InTransaction = (database, { kind, deviceId, actor }) => {
  if (kind === "device.claimed") {
    database.prepare("INSERT INTO subscriptions VALUES (?, ?)").run(deviceId, actor);
  } else if (kind === "device.released") {
    database.prepare("DELETE FROM subscriptions WHERE device = ?").run(deviceId);
  }
};

/** Starts a product that has its own users, rule and table, with the gateway mounted at `/iot`. */
export async function startProduct(folder: string, options: Partial<GatewayOptions>) {
  const file = join(folder, "product.db");
  const store = await openSqliteStore({ file, inTransaction: bookDevice });

  // Outside the transaction, use your own handle: the gateway's handle does not sync each commit.
  const database = new Database(file);
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE IF NOT EXISTS subscriptions (device TEXT PRIMARY KEY, owner TEXT)");
  const subscriptionsOf = database.prepare("SELECT 1 FROM subscriptions WHERE owner = ?");

  const sessions = new Map<string, User>();
  const gateway = await createGateway({
    store,
    secrets: await loadOrCreateSecrets(join(folder, "secrets.json")),
    ...onNode,
    customers: { authenticateToken: async (token) => sessions.get(token) ?? null },
    metadata: { schema: Facts, indexed: ["customerNumber"], ownerReadable: ["site"] },
    commands,
    before: {
      claim: ({ customerId }) =>
        subscriptionsOf.all(customerId).length < 2
          ? undefined
          : { reason: "device_limit", detail: "Your plan allows two devices. Release one first." },
    },
    ...options,
  });
  const maintenance = startMaintenance(gateway);

  const app = express();
  app.use("/iot", toExpressHandler(gateway)); // before body parsers
  app.use(express.json({ limit: "1mb" }));

  app.post("/sign-in", (request, response) => {
    const session = randomUUID();
    sessions.set(session, { id: (request.body as User).id, emailVerified: true, roles: [] });
    response.json({ session });
  });

  /** Returns the API for the signed-in customer. */
  const asCustomer = (request: Request) => {
    const user = sessions.get(request.header("x-session") ?? "");
    return user && gateway.as(customer(user), { clientAddress: request.ip ?? null });
  };
  const about = (request: Request) => ({ params: { deviceId: String(request.params["id"]) } });
  const claim = answer(
    (request) => asCustomer(request)?.claimDevice({ body: request.body as Claim }),
    201,
  );
  const list = answer((request) => asCustomer(request)?.listDevices());
  const read = answer((request) => asCustomer(request)?.readDevice(about(request)));
  app.post("/devices", claim).get("/devices", list);
  app.get("/devices/:id", read);
  const blink = answer((request) => {
    const payload = request.body as { times: number };
    return asCustomer(request)?.sendCommand({
      ...about(request),
      body: { name: "blink", payload },
    });
  }, 201);
  app.post("/devices/:id/blink", blink);

  const asAdmin = (request: Request) =>
    request.header("x-admin") === "swordfish" ? gateway.as(operator({ id: "product" })) : undefined;
  const change = answer((request) => {
    const body = request.body as Partial<z.infer<typeof Facts>>;
    return asAdmin(request)?.changeDeviceMetadata({ ...about(request), body });
  });
  const search = answer((request) =>
    asAdmin(request)?.listAllDevices({ query: { metadata: String(request.query["with"]) } }),
  );
  const publish = answer((request) => {
    const { release, image } = request.body as SignedRelease;
    const api = asAdmin(request);
    const published = api && publishRelease(api, { release, image: Buffer.from(image, "base64") });
    return published?.then((result) => result.map((body) => ({ body })));
  }, 201);
  app.patch("/admin/devices/:id", change).get("/admin/devices", search);
  app.post("/admin/releases", publish);

  const server = app.listen(0);
  await once(server, "listening");
  const stop = async () => {
    gateway.retire(); // /iot/readyz answers 503 from now on
    gateway.endLiveStreams();
    server.close();
    await once(server, "close");
    await maintenance.stop();
    await store.close();
    database.close();
  };
  return { server, stop };
}
