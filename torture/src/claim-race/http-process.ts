/**
 * Runs a gateway over the storage in the first argument, on a free port. Answers each line of input
 * with the port. Exits when its input ends.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeListener } from "@device-gateway/core/node";
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { createRaceGateway } from "./race-gateway.js";

const store = await storageOfPlace(process.argv[2] ?? "").open();
const server = createServer(toNodeListener(await createRaceGateway(store)));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
await answerLines(async () => String((server.address() as AddressInfo).port));
server.closeAllConnections();
server.close();
await store.close();
