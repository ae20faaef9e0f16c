/** The bundled server, which also prints its heap size when it gets SIGUSR2. */
import "../../../examples/server/src/main.js";
import { heapUsed } from "../../../packages/core/src/node/testing/heap-used.js";

process.on("SIGUSR2", () => {
  const heap = heapUsed();
  const { external } = process.memoryUsage();
  process.stdout.write(`heap ${heap + external}\n`);
});
