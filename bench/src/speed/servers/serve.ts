import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { profilerQuestions } from "./profiler.js";

/** What a server process can be asked by the bench, each question with its answer. */
export type Questions = Readonly<Record<string, (argument: unknown) => unknown>>;

/** CPU of all threads so far, and what was answered so far. */
export interface Usage {
  readonly cpuUs: number;
  readonly answered: Readonly<Record<number, number>>;
}

/** Answers the bench's questions over the channel that it opened. */
export function answerQuestions(questions: Questions): void {
  process.on("message", (message: { id: number; question: string; argument: unknown }) => {
    const answer = async () => questions[message.question]?.(message.argument);
    answer().then(
      (value) => process.send?.({ id: message.id, value }),
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}

export const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Listens on a free port, and tells the bench. */
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
