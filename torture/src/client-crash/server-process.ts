/** A gateway over a SQLite file and a secrets file, which listens on a port until it is killed. */
import { createServer } from "node:http";
import { createGateway } from "@device-gateway/core";
import { loadOrCreateSecrets, toNodeListener } from "@device-gateway/core/node";
import { openSqliteStore } from "@device-gateway/store-sqlite";

const [folder = "", port = ""] = process.argv.slice(2);
const gateway = await createGateway({
  store: await openSqliteStore({ file: `${folder}/gateway.db` }),
  secrets: await loadOrCreateSecrets(`${folder}/secrets.json`),
  scryptCost: { logN: 4, r: 8, p: 1 },
  limits: {
    authPerMinute: 1_000_000,
    telemetryPerMinute: 1_000_000,
    telemetryBytesPerMinute: 0,
    unclaimedBytesPerMinute: 0,
  },
});
createServer(toNodeListener(gateway)).listen(Number(port), "127.0.0.1", () => {
  process.stdout.write("ready\n");
});
