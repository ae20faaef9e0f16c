import { once } from "node:events";
import type { Server } from "node:http";
import { toExpressHandler } from "@device-gateway/adapter-express";
import { bearerTokenOf, createGateway, type GatewayOptions } from "@device-gateway/core";
import { createLibuvSlowHash, startMaintenance } from "@device-gateway/core/node";
import express, { type Express } from "express";
import { Accounts, sessionIdOf } from "./accounts.js";

/**
 * Adds a gateway to an existing app, which has a body parser, its own response headers and its own
 * sign-in. The dashboard accepts the app's session cookies. The whole API accepts session ids as bearer tokens. `stop`
 * closes the app's server when open requests are answered, and then the store.
 */
export async function createApp(
  options: Pick<GatewayOptions, "store" | "secrets" | "publicUrl">,
): Promise<{ readonly app: Express; stop(server: Server): Promise<void> }> {
  const accounts = new Accounts();
  const gateway = await createGateway({
    ...options,
    slowHash: createLibuvSlowHash(),
    customers: { authenticateToken: async (token) => accounts.userOf(token) },
    sessions: {
      // It replaces bearer tokens on the dashboard's routes, so it looks for one first.
      async authenticateRequest(request) {
        const token = bearerTokenOf(request.header("authorization"));
        const user = accounts.userOf(token ?? sessionIdOf(request));
        return user && { user, proof: token === undefined ? "cookie" : "bearer" };
      },
    },
  });
  const maintenance = startMaintenance(gateway);
  gateway.on("device.claimed", ({ deviceId, actor }) => {
    console.log(`A welcome mail goes to ${actor} for ${deviceId}.`);
  });

  const app = express();
  // Sets the address of the client, for the app and for the gateway's limits.
  app.set("trust proxy", 1);
  app.use((_, response, next) => {
    response.set("x-served-by", "the shop");
    next();
  });
  app.use(express.json({ limit: "300kb" }));
  app.post("/sign-in", (request, response) => {
    const { name } = request.body as { name: string };
    const id = accounts.open({ id: name, emailVerified: true, roles: [] });
    // Browsers send it over HTTPS only, and most of them to localhost.
    response
      .cookie("sid", id, { httpOnly: true, sameSite: "lax", secure: true })
      .json({ token: id });
  });
  app.use("/iot", toExpressHandler(gateway));
  app.get("/", (_, response) => void response.send("The shop."));

  const stop = async (server: Server) => {
    gateway.retire(); // /iot/readyz answers 503 from now on
    gateway.endLiveStreams();
    server.close();
    await once(server, "close");
    await maintenance.stop();
    await options.store.close();
  };
  return { app, stop };
}
