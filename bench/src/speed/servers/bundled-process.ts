import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { letHeapGrow } from "../../../../examples/server/src/heap-growth.js";
import { createLogger } from "../../../../examples/server/src/log/logger.js";
import { startServer } from "../../../../examples/server/src/server.js";
import { Settings } from "../../../../examples/server/src/settings/settings.js";
import { answerQuestions } from "./answer-questions.js";
import type { GatewayProcessOptions } from "./gateway-process.js";
import { createGatewayQuestions } from "./gateway-questions.js";
import { profilerQuestions } from "./profiler.js";
import { cpuUs } from "./serve.js";

interface BundledProcessOptions extends Omit<GatewayProcessOptions, "mount"> {
  readonly settings?: Partial<Settings>;
  /** Whether maintenance also runs every second, and not only when the server runs it. Default: true. */
  readonly maintainsEverySecond?: boolean;
}

letHeapGrow();
const { place, folder, secrets, ...options } = JSON.parse(
  process.argv[2] ?? "",
) as BundledProcessOptions;
writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
const cells = place.kind === "postgres" && place.cells;
const settings = Settings.parse({
  PORT: 0,
  DATA_DIR: folder,
  ...(place.kind === "postgres" && { DATABASE_URL: place.url }),
  ...(cells && {
    DATABASE_CELLS: cells.length,
    DATABASE_CELL_URLS: cells.map((url, cell) => `${cell}=${url}`).join(" "),
  }),
  // The measured devices are unclaimed but represent claimed ones, so the quota of unclaimed devices is off.
  DG_LIMIT_UNCLAIMED_BYTES_PER_MINUTE: 0,
  ...options.settings,
});
const write = (text: string) => void process.stderr.write(text);
const logger = createLogger({ level: "warn", readable: false, coloured: false, write });
const { gateway, url, stop } = await startServer(settings, { logger, pageFolder: folder });
// People use the accounts of a real server. Without `disableWhenIdle`, their first request would make each record cost more.
const { status } = await fetch(`${url}/api/auth/get-session`);
if (status !== 200) throw new Error(`The accounts answered with ${status}.`);

const answered: Record<number, number> = {};
gateway.on("request.answered", ({ status }) => {
  answered[status] = (answered[status] ?? 0) + 1;
});
answerQuestions({
  usage: () => ({ cpuUs: cpuUs(), answered }),
  ...profilerQuestions,
  ...createGatewayQuestions(gateway, stop, options.maintainsEverySecond),
});
process.send?.({ port: Number(new URL(url).port) });
