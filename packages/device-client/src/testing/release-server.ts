import type { Fetch } from "../call-route.js";
import type { UpdateReport } from "../update/machine/update-report.js";
import type { ReleaseOffer } from "../update/offer/release-offer.js";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** Returns a response in place of the server's, or undefined to let the server respond. */
export type Intercept = (request: SeenRequest) => Response | Promise<Response> | undefined;

export interface ReleaseServer {
  readonly fetch: Fetch;
  /** The offer for the device. Null if there is none. */
  offer: ReleaseOffer | null;
  /** The image that the download route serves, with its ETag. */
  image: { readonly bytes: Uint8Array; readonly etag: string } | null;
  intercept: Intercept | null;
  readonly reports: UpdateReport[];
  readonly requests: SeenRequest[];
  /** States in the order in which they were reported. */
  states(): readonly string[];
}

export const apiUrl = "https://gateway.test/api/v1";
export const downloadUrl = `${apiUrl}/ota/firmware/1`;

/**
 * Streams the bytes in pieces. Then the stream ends, breaks, stalls (and calls `stalled`), or goes on
 * without end.
 */
export function bodyOf(
  bytes: Uint8Array,
  then: "end" | "break" | "stall" | "go_on" = "end",
  stalled: () => void = () => {},
): ReadableStream<Uint8Array> {
  const pieceBytes = 10_000;
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at < bytes.length || then === "go_on") {
          const piece = bytes.subarray(at, at + pieceBytes);
          controller.enqueue(piece.length > 0 ? piece : new Uint8Array(pieceBytes));
          at += pieceBytes;
          return;
        }
        if (then === "end") return controller.close();
        if (then === "break") return controller.error(new Error("The cable was pulled."));
        stalled();
        return new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

function serveImage({ bytes, etag }: { bytes: Uint8Array; etag: string }, headers: Headers) {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.get("range") ?? "")?.[1] ?? 0);
  const part = from > 0 && (headers.get("if-range") ?? etag) === etag;
  if (part && from >= bytes.length) return new Response(null, { status: 416 });
  const body = part ? bytes.subarray(from) : bytes;
  return new Response(bodyOf(body), {
    status: part ? 206 : 200,
    headers: {
      etag,
      "content-length": String(body.length),
      ...(part && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    },
  });
}

/** The update API for one device behind `fetch`. A test can intercept every response. */
export function createReleaseServer(): ReleaseServer {
  const reports: UpdateReport[] = [];
  const requests: SeenRequest[] = [];
  const server: ReleaseServer = {
    offer: null,
    image: null,
    intercept: null,
    reports,
    requests,
    states: () => reports.map(({ state, progress }) => (progress ? `${state} ${progress}` : state)),
    async fetch(url, init) {
      const path = url.replace(apiUrl, "").replace(/\?.*$/, "");
      const request = { method: init.method ?? "GET", path, headers: new Headers(init.headers) };
      requests.push(request);
      const intercepted = await server.intercept?.(request);
      if (intercepted !== undefined) return intercepted;
      if (path === "/ota/latest") {
        return Response.json(
          server.offer === null
            ? { updateAvailable: false }
            : { ...server.offer, updateAvailable: true },
        );
      }
      if (path === "/ota/events") {
        reports.push(JSON.parse(String(init.body)) as UpdateReport);
        return Response.json({ status: "accepted" }, { status: 202 });
      }
      if (server.image === null) return new Response(null, { status: 404 });
      return serveImage(server.image, request.headers);
    },
  };
  return server;
}
