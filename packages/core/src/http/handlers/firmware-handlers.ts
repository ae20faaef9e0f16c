import type { Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { firmwareRoutes } from "../../contract/firmware/firmware.js";
import type { OperatorRelease } from "../../contract/index.js";
import { openReads } from "../../history/open-reads.js";
import { type Download, downloadFirmware } from "../../ota/download/download-firmware.js";
import { changeRelease } from "../../ota/release/change-release.js";
import { createRelease } from "../../ota/release/create-release.js";
import { toDashboardRelease, toOperatorRelease } from "../../ota/release/describe-release.js";
import { listReleases } from "../../ota/release/list-releases.js";
import { readRelease } from "../../ota/release/read-release.js";
import type { Release } from "../../ota/release/release.js";
import { storeImage } from "../../ota/release/store-image.js";
import { isOperator } from "../../user/user.js";
import type { HandlersOf } from "../call.js";

/** Percent-encodes the characters of a name that a header cannot contain. */
const toHeader = (name: string) => name.replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);

function headersOf({ release, etag, part }: Download): Record<string, string> {
  const { version, targetHardware, sha256, size } = release;
  const { start, end } = part ?? { start: 0, end: size };
  return {
    "content-type": "application/octet-stream",
    "content-length": String(end - start),
    "accept-ranges": "bytes",
    ...(part && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
    etag,
    // Devices read raw bytes, so no proxy may compress them.
    "cache-control": "private, no-cache, no-transform",
    "x-firmware-version": version,
    "x-firmware-target": toHeader(targetHardware),
    "x-firmware-sha256": sha256,
  };
}

/** Creates the handlers of the release routes of operators, dashboard and devices. */
export function createFirmwareHandlers(
  context: GatewayContext,
): HandlersOf<keyof typeof firmwareRoutes> {
  async function toBody(release: Release): Promise<{ release: OperatorRelease }> {
    return { release: toOperatorRelease(release, await context.releaseCatalog.list()) };
  }
  const toAnswer = <E>(result: Result<Release, E>) =>
    result.asyncMap(async (release) => ({ status: 200 as const, body: await toBody(release) }));

  return {
    createRelease: async ({ caller, body, origin }) => {
      const created = await createRelease(context, body, { actor: caller.id, origin });
      return created.asyncMap(async ({ isNew, release }) => ({
        status: isNew ? (201 as const) : (200 as const),
        body: await toBody(release),
      }));
    },
    uploadReleaseImage: async ({ caller, params: { releaseId }, body, origin }) =>
      toAnswer(await storeImage(context, releaseId, body, { actor: caller.id, origin })),
    changeRelease: async ({ caller, params: { releaseId }, body, origin }) =>
      toAnswer(await changeRelease(context, releaseId, body, { actor: caller.id, origin })),
    readRelease: async ({ params: { releaseId } }) => {
      const found = await readRelease(context, releaseId);
      return found.asyncMap(async (release) => {
        const { updates, headers } = await openReads(context);
        const counts = { ...(await updates.counts(releaseId)) };
        return { status: 200, body: { ...(await toBody(release)), counts }, headers };
      });
    },
    listReleases: async ({ query }) =>
      (await listReleases(context, query, query.status)).map(
        ({ releases, active, nextCursor }) => ({
          status: 200,
          body: {
            releases: releases.map((release) => toOperatorRelease(release, active)),
            nextCursor,
          },
        }),
      ),
    listDashboardReleases: async ({ caller, query }) => {
      const status = isOperator(caller) ? undefined : "active";
      return (await listReleases(context, query, status)).map(
        ({ releases, active, nextCursor }) => ({
          status: 200,
          body: {
            releases: releases.map((release) => toDashboardRelease(release, active)),
            nextCursor,
          },
        }),
      );
    },
    downloadFirmware: async ({ caller: device, params: { releaseId }, headers, origin, turn }) => {
      const { range, "if-range": ifRange } = headers;
      const request = { origin, releaseId, range, ifRange, turn };
      const opened = await downloadFirmware(context, device, request);
      return opened.map((download) => ({
        status: download.part === null ? (200 as const) : (206 as const),
        stream: download.stream,
        cut: download.cut,
        headers: headersOf(download),
      }));
    },
  };
}
