import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { signCustomer } from "../../../examples/server/src/testing/customer.js";
import { createImage } from "../../../packages/device-client/src/testing/simulated-device.js";
import type { SourceChange } from "../../../scripts/bundle-programs.js";
import { findFreePort } from "../../../scripts/find-free-port.js";
import { openArrivals } from "../arrivals/arrivals.js";
import { type Attack, type AttackOptions, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { signRelease, trusted } from "../firmware/keys.js";
import type { Killable } from "../killable.js";
import { describeUnfinished } from "../load/bounded-wait.js";
import { bundleServer } from "../load/bundled-server.js";
import { compareStored } from "../load/compare-stored.js";
import { type Observed, preparePostLoad } from "../load/post-load.js";
import { createStorage, storageOfPlace } from "../storage.js";
import { startBalancer } from "./balancer.js";
import { startLiveWatch } from "./live-watch.js";
import { startSlowDownload } from "./slow-download.js";

/** The long form measures it. The short form waits for the exit, because it must pass on a busy machine. */
const maxExitMs = 5_000;
/** Number of checks of the live stream, 50 ms apart. After so many, a missing record is a bug. */
const mostTries = 1_200;
const devices = ["gw-0", "gw-1", "gw-2", "gw-3"] as const;

/** The planted bug: the server exits at once on SIGTERM. */
const exitAtOnce: SourceChange = {
  name: "exit at once on SIGTERM",
  file: /examples\/server\/src\/stop-on-signals\.ts$/,
  from: "firstAt = now();",
  to: "firstAt = now(); exit(0);",
};

export interface RestartOptions extends AttackOptions {
  readonly planted?: "abrupt";
}

interface Tally {
  answers: number;
  refused: number;
  slowestExitMs: number;
}

/** Publishes an image as a release. Returns the release's id. */
async function publishImage(url: string, image: Uint8Array<ArrayBuffer>): Promise<number> {
  const token = await signCustomer("operator", { roles: ["operator"] });
  const operator = createUserClient({ baseUrl: url, token });
  const facts = { version: "2.0.0", targetHardware: "board", releasedAt: "2026-01-31T12:00:00Z" };
  const created = await operator.createRelease({ body: signRelease(trusted[0], image, facts) });
  const { id } = created._unsafeUnwrap().release;
  const params = { releaseId: String(id) };
  (await operator.uploadReleaseImage({ params, body: image }))._unsafeUnwrap();
  (await operator.changeRelease({ params, body: { status: "active" } }))._unsafeUnwrap();
  return id;
}

async function restartRepeatedly(options: RestartOptions) {
  const findings = createFindings("restart", options);
  const { store, seed, planted, long = false } = options;
  const folder = mkdtempSync(join(tmpdir(), "torture-restart-"));
  mkdirSync(join(folder, "firmware-keys"));
  const [key] = trusted;
  writeFileSync(join(folder, "firmware-keys", `${key.id}.public.pem`), key.pem);
  const storage = store === "postgres" ? await createStorage(store) : undefined;
  // A server that exits at once keeps its leases for half a minute.
  const arrivals = planted === undefined ? await openArrivals({ seed, long }) : undefined;
  const environment = {
    ...arrivals?.settings,
    DATA_DIR: folder,
    ...(storage !== undefined && { DATABASE_URL: storage.place ?? "" }),
  };
  const changes = planted === "abrupt" ? [exitAtOnce] : [];
  const bundled = await bundleServer({ changes, long });
  const ports = await Promise.all((store === "postgres" ? [1, 2] : [1]).map(findFreePort));
  const servers: Killable[] = [];
  for (const port of ports) servers.push(await bundled.start(port, environment));
  const balancer = store === "postgres" ? await startBalancer(ports) : undefined;
  const url = `http://127.0.0.1:${balancer?.port ?? ports[0]}`;

  const tally: Tally = { answers: 0, refused: 0, slowestExitMs: 0 };
  const broken = new Map<string, number>();
  const observe = ({ status, fault = "" }: Observed) => {
    if (status !== null) tally.answers += 1;
    // While no server listens, a refused connection breaks no request.
    else if (fault === "ECONNREFUSED" && balancer === undefined) tally.refused += 1;
    else broken.set(fault, (broken.get(fault) ?? 0) + 1);
    // On a busy machine, calls of Postgres reach their deadlines. The clients of the short form repeat them.
    const isBusy = !long && store === "postgres" && status === 503;
    if (status !== null && status !== 200 && !isBusy)
      broken.set(String(status), (broken.get(String(status)) ?? 0) + 1);
  };
  try {
    // More than the kernel buffers for a connection, so that the end of the image does not arrive from a stopped
    // server.
    const size = 16_000_000;
    const image = createImage("2.0.0", { size, seed });
    const releaseId = await publishImage(url, image);
    const pace = long ? {} : { pauseMs: 60 };
    const load = await preparePostLoad({ url, seed, devices, connections: 4, observe, ...pace });
    const customer = await signCustomer("customer");
    const claim = { deviceId: devices[0], claimCode: "ABCD-EFGH" };
    const user = createUserClient({ baseUrl: url, token: customer });
    (await user.claimDevice({ body: claim }))._unsafeUnwrap();
    const device = createDeviceClient({ baseUrl: url });
    const hardware = { hardwareId: "board", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" };
    const registered = await device.register({ deviceId: "loader", ...hardware });
    const { token } = registered._unsafeUnwrap();
    const live = await startLiveWatch(url, customer, devices[0]);
    load.begin();
    await arrivals?.arrange(url);
    arrivals?.begin(url);
    const facts = signRelease(key, image, { version: "", targetHardware: "", releasedAt: "" });
    // In the long form the download takes longer than a server may take to stop.
    const pauseMs = long ? 200 : 20;
    const path = `/api/v1/ota/firmware/${releaseId}`;
    const victimOf = (round: number) => round % servers.length;
    // It begins at the server that stops first.
    const first = `http://127.0.0.1:${ports[victimOf(options.round ?? 0)]}${path}`;
    const download = startSlowDownload({ first, url: url + path, token, facts, pauseMs });
    await Promise.race([download.begun, download.done]);

    const rounds = await runRounds(options, { short: 2, long: 60 }, async (round) => {
      const dice = createDice(seedOfRound(seed, round));
      await wait(200 + dice.int(800));
      const victim = victimOf(round);
      const startedAt = performance.now();
      process.kill((servers[victim] as Killable).pid, "SIGTERM");
      const { code, signal } = await (servers[victim] as Killable).ended;
      const ms = performance.now() - startedAt;
      download.goOn();
      tally.slowestExitMs = Math.max(tally.slowestExitMs, ms);
      if (code !== 0) findings.add(`the server exited with ${code ?? signal}`, round);
      if (long && ms > maxExitMs)
        findings.add(`the server took ${Math.round(ms)} ms to exit`, round);
      servers[victim] = await bundled.start(ports[victim] ?? 0, environment);
    });
    const unfinished = describeUnfinished([await load.stop()]);
    if (unfinished !== undefined) findings.add(unfinished);
    await arrivals?.stop();
    download.hurry();
    const isRight = await download.done;
    if (!isRight || download.faults.length > 0)
      findings.add(`the download failed: ${download.faults.join(", ")}`);
    if (download.cuts === 0) findings.add("no restart interrupted the download");
    const expected = load.acknowledged.get(devices[0]) ?? [];
    const hasAll = () => {
      const seen = new Set(live.seen);
      return expected.every((one) => seen.has(one));
    };
    for (let tries = 0; tries < mostTries && !hasAll(); tries++) await wait(50);
    live.stop();
    const seen = new Set(live.seen);
    for (const [what, count] of broken) findings.add(`${count} requests in flight got: ${what}`);
    const missed = expected.filter((one) => !seen.has(one)).length;
    if (missed > 0)
      findings.add(`${missed} of ${expected.length} records were missing in the live stream`);
    if (live.seen.length > seen.size)
      findings.add(`${live.seen.length - seen.size} records came twice in the live stream`);
    if (live.ends.broken > 0) findings.add(`${live.ends.broken} live streams were broken off`);

    const reader = await (storage ?? storageOfPlace(join(folder, "gateway.db"))).open();
    const all = new Map([...load.acknowledged, ...(arrivals?.acknowledged ?? [])]);
    const { acknowledged, lost, twice } = await compareStored(reader, all);
    for (const what of (await arrivals?.findProblems(reader)) ?? []) findings.add(what);
    await reader.close();
    if (lost > 0) findings.add(`${lost} acknowledged readings are lost`);
    if (twice > 0) findings.add(`${twice} readings are stored twice`);
    const { violations } = findings;
    return {
      name: `restart ${store}`,
      lines: [
        {
          what: `SIGTERM under load: ${tally.answers} answers, ${tally.refused} connections refused during restarts`,
          rounds,
          result: `${[...broken.values()].reduce((sum, count) => sum + count, 0)} broken, exit ≤ ${(tally.slowestExitMs / 1000).toFixed(1)} s`,
          bar: long ? "0 broken, exit ≤ 5 s" : "0 broken",
        },
        {
          what: `${acknowledged} acknowledged readings`,
          rounds,
          result: `${lost} lost, ${twice} twice`,
          bar: "0, 0",
        },
        {
          what: `a live stream with ${live.seen.length} records`,
          rounds: live.ends.clean + live.ends.broken,
          result: `${live.ends.broken} broken off, ${missed} records missed`,
          bar: "0, 0",
        },
        {
          what: "a slow download, interrupted and resumed",
          rounds: download.cuts,
          result: isRight ? "complete" : "damaged",
          bar: "complete",
        },
        ...(arrivals === undefined ? [] : [arrivals.describe()]),
      ],
      violations,
    };
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    arrivals?.close();
    await balancer?.close();
    await bundled.remove();
    await storage?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Repeatedly sends SIGTERM to the bundled server under load: one server on SQLite, two in turn behind a
 * balancer on Postgres. No request in flight may break, and no acknowledged record may be lost.
 */
export const restart = async (options: RestartOptions): ReturnType<Attack> =>
  options.store === "memory"
    ? { name: "restart memory", lines: [], violations: [] }
    : restartRepeatedly(options);
