import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions, type Questions } from "./answer-questions.js";
import { profilerQuestions } from "./profiler.js";

/** CPU of all threads so far, and the number of responses so far by status. */
export interface Usage {
  readonly cpuUs: number;
  readonly answered: Readonly<Record<number, number>>;
}

export const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Listens on a free port and sends it to the bench. */
export function serve(
  listener: RequestListener,
  answered: Readonly<Record<number, number>>,
  questions: Questions = {},
): void {
  const server = createServer(listener);
  const usage = (): Usage => ({ cpuUs: cpuUs(), answered });
  answerQuestions({ usage, ...profilerQuestions, ...questions });
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}
