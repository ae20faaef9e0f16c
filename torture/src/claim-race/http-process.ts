/**
 * A gateway of its own on the storage of its first argument, listening on a free port that it prints.
 * Ends when its input does.
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
