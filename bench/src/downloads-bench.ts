import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "./downloads/child.js";
import { sendTelemetry } from "./downloads/telemetry-load.js";
import { createLines, type Section } from "./measure.js";
import { renderSection } from "./table.js";

export interface DownloadsBenchOptions {
  readonly quick?: boolean;
  readonly markdown?: boolean;
  readonly print?: (text: string) => void;
}

interface Ready {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly releaseId: number;
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Time until the downloads are as slow as their readers. The sockets' buffers fill first. */
const settleMs = 1_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Compares telemetry's latency with and without many slow devices that download an image. */
export async function runDownloadsBench(options: DownloadsBenchOptions): Promise<Section> {
  const { quick = false, markdown = false, print } = options;
  const size = quick
    ? { downloads: 5, senders: 5, repeats: 1, seconds: 0.5, requestsPerSecond: 50 }
    : { downloads: 200, senders: 200, repeats: 9, seconds: 5, requestsPerSecond: 200 };
  const bytesPerSecond = 32_000;
  const { downloads, senders, repeats, seconds, requestsPerSecond } = size;
  const folder = mkdtempSync(join(tmpdir(), "downloads-bench-"));
  const gateway = startChild("gateway-process", folder, String(downloads + senders));
  const children = [gateway];
  const lines = createLines();
  let rate = 0;
  let before = 0;
  try {
    const { port, tokens, releaseId } = JSON.parse(await gateway.nextLine()) as Ready;
    const task = { port, releaseId, tokens: tokens.slice(senders), bytesPerSecond };
    const readers = startChild("readers-process", JSON.stringify(task));
    children.push(readers);
    const load = { port, tokens: tokens.slice(0, senders), requestsPerSecond, seconds };

    const cpuOf = async () => {
      gateway.send("cpu");
      return Number(await gateway.nextLine()) / 1_000;
    };

    async function visit(subject: "without" | "with"): Promise<void> {
      const startedAt = performance.now();
      if (subject === "with") readers.send("start");
      await pause(settleMs);
      const cpuBefore = await cpuOf();
      const latencies = [...(await sendTelemetry(load))].sort((a, b) => a - b);
      lines.add("CPU of the gateway", "ms", subject, (await cpuOf()) - cpuBefore);
      for (const [what, share] of [
        ["p50", 0.5],
        ["p99", 0.99],
        ["highest", 1],
      ] as const) {
        lines.add(what, "ms", subject, quantile(latencies, share));
      }
      if (subject === "with") {
        readers.send("stop");
        const bytes = Number(await readers.nextLine());
        if (bytes === before)
          throw new Error("No bytes were downloaded: check the readers process.");
        rate = (bytes - before) / ((performance.now() - startedAt) / 1_000);
        before = bytes;
      }
    }

    await sendTelemetry(load);
    readers.send("start");
    await pause(quick ? 3_000 : 15_000);
    readers.send("stop");
    before = Number(await readers.nextLine());
    for (let repeat = 0; repeat < repeats; repeat++) {
      const order = ["without", "with"] as const;
      for (const subject of repeat % 2 ? [...order].reverse() : order) await visit(subject);
    }
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  const section: Section = {
    title: `Telemetry beside ${downloads} slow downloads (${requestsPerSecond} requests a second)`,
    lines: lines.all(),
    notes: [
      `Downloads: ${bytesPerSecond / 1_000} kB/s each at most, ${(rate / 1e6).toFixed(1)} MB/s together in the last repeat.`,
    ],
  };
  print?.(`${renderSection(section, markdown)}\n`);
  return section;
}
