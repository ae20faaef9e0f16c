import { Session } from "node:inspector/promises";
import type { Questions } from "./answer-questions.js";

const session = new Session();

/** Samples the main thread every 200 µs between the two questions. */
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
