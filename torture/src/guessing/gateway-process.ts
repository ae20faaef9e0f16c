/** Runs a gateway over the storage in the first argument. Each line of input is a burst of requests. */
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { type Burst, openGateway } from "./gateway-group.js";

const [, , file = "", seed = "1"] = process.argv;
const storage = storageOfPlace(file);
const gateway = await openGateway(storage, { seed: Number(seed), store: storage.kind });
await answerLines(async (line) => JSON.stringify(await gateway.send(JSON.parse(line) as Burst)));
await gateway.close();
