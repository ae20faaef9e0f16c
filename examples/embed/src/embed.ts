import { toExpressHandler } from "@device-gateway/adapter-express";
import { createGateway } from "@device-gateway/core";
import { loadOrCreateSecrets, onNode, startMaintenance } from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import express from "express";

const store = await openSqliteStore({ file: "gateway.db" });
const secrets = await loadOrCreateSecrets("gateway.secrets.json");
const gateway = await createGateway({ store, secrets, ...onNode });
const maintenance = startMaintenance(gateway);

const app = express().use(toExpressHandler(gateway)); // before body parsers; the rest is yours
const server = app.listen(Number(process.env["PORT"] ?? 3000));

process.once("SIGTERM", () => {
  gateway.retire(); // /readyz answers 503 from now on
  gateway.endLiveStreams();
  server.close(() => void maintenance.stop().then(() => store.close()));
});
