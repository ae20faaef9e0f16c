/** A gateway of its own on the file of its first argument; each line is a burst for it. */
import { answerLines } from "../line-process.js";
import { storageOfFile } from "../storage.js";
import { type Burst, openGateway } from "./front.js";

const [, , file = "", seed = "1"] = process.argv;
const storage = storageOfFile(file);
const gateway = await openGateway(storage, { seed: Number(seed), store: "sqlite" });
await answerLines(async (line) => JSON.stringify(await gateway.send(JSON.parse(line) as Burst)));
await gateway.close();
