/** A gateway of its own on the storage of its first argument; each line is a burst for it. */
import { answerLines } from "../line-process.js";
import { storageOfPlace } from "../storage.js";
import { type Burst, openGateway } from "./front.js";

const [, , file = "", seed = "1"] = process.argv;
const storage = storageOfPlace(file);
const gateway = await openGateway(storage, { seed: Number(seed), store: storage.kind });
await answerLines(async (line) => JSON.stringify(await gateway.send(JSON.parse(line) as Burst)));
await gateway.close();
