/** Runs a gateway at production cost over the file in the first argument. Answers each line of input with the port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeListener } from "@device-gateway/core/node";
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { openWorld } from "../world.js";
import { productionOptions } from "./scene.js";

const [, , file = "", seed = "1"] = process.argv;
const storage = storageOfPlace(file);
const world = await openWorld({ storage, seed: Number(seed), options: productionOptions });
const [gateway] = world.gateways;
if (gateway === undefined) throw new Error("There is no gateway.");
const server = createServer(toNodeListener(gateway));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
await answerLines(async () => String((server.address() as AddressInfo).port));
server.closeAllConnections();
server.close();
await world.close();
