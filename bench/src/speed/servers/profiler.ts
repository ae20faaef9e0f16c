import { Session } from "node:inspector/promises";
import type { Questions } from "./serve.js";

const session = new Session();

/** Records where the main thread is, every 200 µs, from one question to the other. */
export const profilerQuestions: Questions = {
  startProfile: async () => {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 200 });
    await session.post("Profiler.start");
  },
  stopProfile: async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    return profile;
  },
};
