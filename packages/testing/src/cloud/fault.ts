import { z } from "zod";

const milliseconds = z.int().min(0).max(3_600_000);
const bytes = z
  .int()
  .min(0)
  .max(2 ** 30);

/** A fault between a device and its cloud. TLS faults belong to a connection: see `presentCertificate`. */
export const Fault = z.discriminatedUnion("kind", [
  z
    .strictObject({ kind: z.literal("unreachable") })
    .meta({ description: "The request never arrives." }),
  z.strictObject({ kind: z.literal("lost_answer") }).meta({
    description: "The gateway handles the request, but the connection breaks before the response.",
  }),
  z.strictObject({ kind: z.literal("duplicated") }).meta({
    description:
      "The gateway handles the request twice, one after the other. The response is that of the first.",
  }),
  z.strictObject({ kind: z.literal("unavailable"), retryAfterSeconds: z.int().min(0) }).meta({
    description: "The response is 503 with Retry-After. The gateway does not handle the request.",
  }),
  z
    .strictObject({
      kind: z.literal("server_error"),
      status: z.union([z.literal(500), z.literal(502), z.literal(503), z.literal(504)]),
    })
    .meta({
      description:
        "The response is a proxy's error page without Retry-After. The gateway does not handle the request.",
    }),
  z.strictObject({ kind: z.literal("captive_portal") }).meta({
    description:
      "The response is 200 with the login page of a captive portal. The gateway does not handle the request.",
  }),
  z
    .strictObject({
      kind: z.literal("redirected"),
      status: z
        .union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)])
        .optional(),
      location: z.string().min(1).max(2_000).optional(),
    })
    .meta({
      description:
        "The response is a redirect, by default 302 to `/login`. The gateway does not handle the request.",
    }),
  z.strictObject({ kind: z.literal("unauthorized") }).meta({
    description:
      "The response is the gateway's own 401, although the token is valid. The gateway does not handle the request.",
  }),
  z.strictObject({ kind: z.literal("delayed"), ms: milliseconds }).meta({
    description:
      "The gateway handles the request. The first byte of the response is sent `ms` real milliseconds later.",
  }),
  z
    .strictObject({
      kind: z.literal("slow"),
      pieceBytes: bytes.min(1),
      everyMs: milliseconds,
    })
    .meta({
      description:
        "The body arrives in pieces of `pieceBytes` bytes, each after a delay of `everyMs` real milliseconds. With one byte it drips.",
    }),
  z.strictObject({ kind: z.literal("cut"), afterBytes: bytes }).meta({
    description: "The connection breaks after `afterBytes` bytes of the body.",
  }),
  z.strictObject({ kind: z.literal("corrupted"), atByte: bytes }).meta({
    description:
      "One bit of the body is flipped: in byte `atByte`, or in the last byte of a shorter body.",
  }),
  z
    .strictObject({
      kind: z.literal("wrong_length"),
      by: z
        .int()
        .min(-(2 ** 30))
        .max(2 ** 30),
    })
    .meta({
      description:
        "Content-Length is wrong by this number of bytes. If it is too high, the connection closes after the body. If it is too low, the client gets only that much. A response without a body is unchanged.",
    }),
  z.strictObject({ kind: z.literal("wrong_time"), offsetMs: z.int() }).meta({
    description:
      "`serverTime` in the body and the header Date are wrong by `offsetMs` milliseconds.",
  }),
]);
export type Fault = z.output<typeof Fault>;

/** The connection broke before the whole response arrived. */
export class ConnectionBrokenError extends TypeError {
  override readonly name = "ConnectionBrokenError";
}
