import { toExpressHandler } from "@device-gateway/adapter-express";
import { createGateway } from "@device-gateway/core";
import { createLibuvSlowHash, loadOrCreateSecrets, nodeDigest } from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import express from "express";

const gateway = await createGateway({
  store: await openSqliteStore({ file: "gateway.db" }),
  secrets: await loadOrCreateSecrets("gateway.secrets.json"),
  slowHash: createLibuvSlowHash(),
  digest: nodeDigest,
});

const app = express().use(toExpressHandler(gateway)); // before body parsers; the rest is yours
app.listen(Number(process.env["PORT"] ?? 3000));
