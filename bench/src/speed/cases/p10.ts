import { createLines } from "../../measure.js";
import { startGateway } from "../contender.js";
import { writeHeartbeatBodies } from "../fleet-requests.js";
import { heapGrowthNotes, type Memory } from "../heap-growth.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import { readDevices } from "../seed/seed-fleet.js";
import { openSlowConnections } from "../slow-connections.js";
import type { SpeedCase } from "../speed-case.js";
import { recordFiles } from "./record-files.js";

const slowConnections = 2_000;
/** The largest telemetry body, which each connection may occupy in the server. */
const bodyBytes = 262_144;
const pieceBytes = 1_024;
const pieceEveryMs = 500;
/** How long a body lasts. Measurements during the same bodies are correlated (bench/README.md). */
const bodyMinutes = ((bodyBytes / pieceBytes) * pieceEveryMs) / 60_000;
/** Memory of the process without connections: Node, the program, its caches (docs/scaling.md). */
const baseBytes = 512 * 1024 * 1024;
/** Length of the warm-up, as a share of the watch. V8 takes minutes to compile functions that run once a second. */
const warmUpShare = 0.5;
const mebibyte = 1024 * 1024;

/** Watches memory at overload, with connections whose bodies never end. */
export const p10: SpeedCase = {
  title: "P10: memory at overload, with 2,000 slow connections",
  async run(setup, options) {
    const files = recordFiles(setup);
    const gateway = await startGateway(setup, {
      name: "gateway",
      mount: options.mount,
      files,
      nodeOptions: ["--expose-gc"],
    });
    const { server } = gateway;
    await measureLoads([gateway], { ...options, repeats: 1, connections: 64 });
    // Each device sends its second kind of record now, so that its cache entries later do not look like a leak.
    const bodies = writeHeartbeatBodies(setup.folder);
    const heartbeats = { ...gateway, files: { ...files, bodies }, next: 0 };
    await measureLoads([heartbeats], { ...options, repeats: 1, connections: 64 });
    gateway.mayBreakOff = heartbeats.mayBreakOff;
    // A disk that stalls under this load causes 503s, as it should. They are counted.
    gateway.mayRefuse = true;
    const slow = openSlowConnections({
      ...{ port: server.port, path: files.path, devices: readDevices(files.devices) },
      ...{ count: slowConnections, bodyBytes, pieceBytes, everyMs: pieceEveryMs },
    });
    const lines = createLines();
    const points: Memory[] = [];
    const start = performance.now();
    const minutes = () => (performance.now() - start) / 60_000;
    let maxRss = 0;
    let minOpen = slowConnections;
    const warmUp = options.minutes * warmUpShare;
    const total = warmUp + options.minutes;
    while (minutes() < total) {
      await measureLoads([gateway], { ...options, repeats: 1, connections: 64, devices: 0 });
      const memory = await server.ask<Omit<Memory, "minute">>("memory");
      const { heapUsed, code, rss, external } = memory;
      const minute = minutes();
      options.progress(`${minute.toFixed(1)} of ${total} minutes`);
      maxRss = Math.max(maxRss, rss);
      if (minute < warmUp) continue;
      minOpen = Math.min(minOpen, slow.open);
      points.push({ ...memory, minute });
      lines.add("heap after collection", "MiB", "gateway", heapUsed / mebibyte, true);
      lines.add("of it compiled code", "MiB", "gateway", code / mebibyte, true);
      lines.add("outside of the heap", "MiB", "gateway", external / mebibyte, true);
      lines.add("RSS", "MiB", "gateway", rss / mebibyte, true);
    }
    slow.end();
    // The server answers each broken body with 400, which nobody reads.
    gateway.mayBreakOff += slowConnections + slow.reopened;
    const notes = [...(await finishAll([gateway]))];
    const cap = baseBytes + slowConnections * bodyBytes;
    notes.push(
      `${slowConnections} slow connections, ${minOpen} of them or more open at each check, ${slow.reopened} reopened.`,
      ...heapGrowthNotes(points, bodyMinutes),
      `RSS at most ${Math.round(maxRss / mebibyte)} MiB; goal at most ${cap / mebibyte} MiB, which is ${baseBytes / mebibyte} MiB and the largest body for each connection: ${maxRss <= cap ? "reached" : "missed"}.`,
    );
    return [{ title: p10.title, lines: lines.all(), notes }];
  },
};
