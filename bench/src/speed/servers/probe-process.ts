import { Agent, get } from "node:http";
import { answerQuestions } from "./answer-questions.js";

export interface Probe {
  readonly port: number;
  readonly paths: readonly string[];
  readonly token: string;
  readonly times: number;
}

// Requests the paths in turn, repeatedly, on one connection, and reports how long each took.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function ask(port: number, path: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    get({ port, path, agent, headers }, (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode === 200) resolve(performance.now() - start);
        else reject(new Error(`${path} was answered with ${response.statusCode}.`));
      });
    }).on("error", reject);
  });
}

answerQuestions({
  probe: async (argument) => {
    const { port, paths, token, times } = argument as Probe;
    const taken: number[][] = paths.map(() => []);
    for (let n = 0; n < times; n++) {
      for (const [i, path] of paths.entries()) taken[i]?.push(await ask(port, path, token));
    }
    return taken;
  },
});
process.send?.({ port: 0 });
