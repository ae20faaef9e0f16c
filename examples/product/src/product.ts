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
import express, { type Request, type Response } from "express";

type Posted<Body> = Request<object, object, Body>;
type Claim = { deviceId: string; claimCode: string };
type SignedRelease = { release: Publication["release"]; image: string };

/** Each owned device has a subscription. The row commits with the claim, or not at all. */
const bookDevice: InTransaction = (database, { kind, deviceId, actor }) => {
  if (kind === "device.claimed") {
    database.prepare("INSERT INTO subscriptions VALUES (?, ?)").run(deviceId, actor);
  } else if (kind === "device.released") {
    database.prepare("DELETE FROM subscriptions WHERE device_id = ?").run(deviceId);
  }
};

/** Starts a product with users, a rule and a table of its own, and the gateway under `/iot`. */
export async function startProduct(folder: string, options: Partial<GatewayOptions>) {
  const file = join(folder, "product.db");
  const store = await openSqliteStore({ file, inTransaction: bookDevice });

  // Outside the transaction, use a handle of your own: the gateway's does not sync each commit.
  const database = new Database(file);
  database.pragma("synchronous = FULL");
  database.exec(
    "CREATE TABLE IF NOT EXISTS subscriptions (device_id TEXT PRIMARY KEY, owner TEXT)",
  );
  const subscriptionsOf = database.prepare("SELECT 1 FROM subscriptions WHERE owner = ?");

  const sessions = new Map<string, User>();
  const gateway = await createGateway({
    store,
    secrets: await loadOrCreateSecrets(join(folder, "secrets.json")),
    ...onNode,
    customers: { authenticateToken: async (token) => sessions.get(token) ?? null },
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

  app.post("/sign-in", (request: Posted<User>, response) => {
    const session = randomUUID();
    sessions.set(session, { id: request.body.id, emailVerified: true, roles: [] });
    response.json({ session });
  });

  /** Returns the API as the signed-in customer may use it. */
  const asCustomer = (request: Pick<Request, "header" | "ip">, response: Response) => {
    const user = sessions.get(request.header("x-session") ?? "");
    if (user === undefined) response.status(401).json({ message: "Sign in first." });
    return user && gateway.as(customer(user), { clientAddress: request.ip ?? null });
  };
  app.post("/devices", async (request: Posted<Claim>, response) => {
    const claimed = await asCustomer(request, response)?.claimDevice({ body: request.body });
    claimed?.match(
      ({ body }) => response.status(201).json(body),
      ({ status, detail, refusal }) => response.status(status).json({ detail, ...refusal }),
    );
  });
  app.get("/devices", async (request, response) => {
    const listed = await asCustomer(request, response)?.listDevices();
    listed?.match(
      ({ body }) => response.json(body),
      ({ status, detail }) => response.status(status).json({ detail }),
    );
  });
  app.post("/releases", async (request: Posted<SignedRelease>, response) => {
    if (request.header("x-admin") !== "swordfish") return void response.sendStatus(401);
    const { release, image } = request.body;
    const published = await publishRelease(gateway.as(operator({ id: "product" })), {
      release,
      image: Buffer.from(image, "base64"),
    });
    published.match(
      (body) => response.status(201).json(body),
      ({ status, detail }) => response.status(status).json({ detail }),
    );
  });

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
