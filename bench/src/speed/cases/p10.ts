import { createLines } from "../../measure.js";
import { startGateway } from "../contender.js";
import { writeHeartbeatBodies } from "../fleet-requests.js";
import { heapGrowthNotes, type Memory } from "../heap-growth.js";
import { finishAll, measureLoads } from "../measure-loads.js";
import { readDevices } from "../seed-fleet.js";
import { openSlowConnections } from "../slow-connections.js";
import type { SpeedCase } from "../speed-case.js";
import { recordFiles } from "./record-files.js";

const slowConnections = 2_000;
/** The largest body of a telemetry request: what each connection may make the server keep. */
const bodyBytes = 262_144;
const pieceBytes = 1_024;
const pieceEveryMs = 500;
/** How long a body is under way: what is measured meanwhile is alike (bench/README.md). */
const bodyMinutes = ((bodyBytes / pieceBytes) * pieceEveryMs) / 60_000;
/** What the process takes up without any connection: Node, the program, its caches (README). */
const baseBytes = 512 * 1024 * 1024;
/** How much longer it runs before it is watched: V8 compiles for minutes what runs once a second. */
const warmUpShare = 0.5;
const mebibyte = 1024 * 1024;

/** Memory at overload, with connections whose bodies never end. */
export const p10: SpeedCase = {
  title: "P10: memory at overload, with 2,000 slow connections",
  async run(setup, options) {
    const files = recordFiles(setup);
    const gateway = await startGateway(setup, {
      name: "gateway",
      mount: "listener",
      files,
      nodeOptions: ["--expose-gc"],
    });
    const { server } = gateway;
    await measureLoads([gateway], { ...options, repeats: 1, connections: 64 });
    // A device's second kind of record comes late: what is remembered of it is not to look like a leak.
    const bodies = writeHeartbeatBodies(setup.folder);
    const heartbeats = { ...gateway, files: { ...files, bodies }, next: 0 };
    await measureLoads([heartbeats], { ...options, repeats: 1, connections: 64 });
    gateway.mayBreakOff = heartbeats.mayBreakOff;
    // A disk that stalls under such a load ends in 503s, as it should: they are counted.
    gateway.mayRefuse = true;
    const slow = openSlowConnections({
      ...{ port: server.port, path: files.path, devices: readDevices(files.devices) },
      ...{ count: slowConnections, bodyBytes, pieceBytes, everyMs: pieceEveryMs },
    });
    const lines = createLines();
    const points: Memory[] = [];
    const start = performance.now();
    const minutes = () => (performance.now() - start) / 60_000;
    let mostRss = 0;
    let leastOpen = slowConnections;
    const warmUp = options.minutes * warmUpShare;
    const total = warmUp + options.minutes;
    while (minutes() < total) {
      await measureLoads([gateway], { ...options, repeats: 1, connections: 64, devices: 0 });
      const memory = await server.ask<Omit<Memory, "minute">>("memory");
      const { heapUsed, code, rss, external } = memory;
      const minute = minutes();
      options.progress(`${minute.toFixed(1)} of ${total} minutes`);
      mostRss = Math.max(mostRss, rss);
      if (minute < warmUp) continue;
      leastOpen = Math.min(leastOpen, slow.open);
      points.push({ ...memory, minute });
      lines.add("heap after collection", "MiB", "gateway", heapUsed / mebibyte, true);
      lines.add("of it compiled code", "MiB", "gateway", code / mebibyte, true);
      lines.add("outside of the heap", "MiB", "gateway", external / mebibyte, true);
      lines.add("RSS", "MiB", "gateway", rss / mebibyte, true);
    }
    slow.end();
    // Each body that broke off is answered with 400, to nobody.
    gateway.mayBreakOff += slowConnections + slow.reopened;
    const notes = [...(await finishAll([gateway]))];
    const cap = baseBytes + slowConnections * bodyBytes;
    notes.push(
      `${slowConnections} slow connections, ${leastOpen} of them or more open whenever it was looked, ${slow.reopened} opened anew.`,
      ...heapGrowthNotes(points, bodyMinutes),
      `RSS at most ${Math.round(mostRss / mebibyte)} MiB; goal at most ${cap / mebibyte} MiB, which is ${baseBytes / mebibyte} and the largest body for each connection: ${mostRss <= cap ? "reached" : "missed"}.`,
    );
    return [{ title: p10.title, lines: lines.all(), notes }];
  },
};
