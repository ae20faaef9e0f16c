/**
 * Runs a gateway in real time over the storage in the first argument, with the keys in the second, on a
 * free port. Answers each line of input with the port. Exits when its input ends.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway } from "@device-gateway/core";
import { createLibuvSlowHash, toNodeListener } from "@device-gateway/core/node";
import { createIssuer } from "../issuer.js";
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { optionsOf } from "./gateway-group.js";

const [, , place = "", keys = ""] = process.argv;
const store = await storageOfPlace(place).open();
const gateway = await createGateway({
  store,
  ...optionsOf(keys.split(",") as ("old" | "new")[]),
  scryptCost: { logN: 4, r: 8, p: 1 },
  slowHash: createLibuvSlowHash(),
  customers: createIssuer({ now: () => Date.now() }).authenticator,
});
const server = createServer(toNodeListener(gateway));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
await answerLines(async () => String((server.address() as AddressInfo).port));
server.closeAllConnections();
server.close();
await store.close();
