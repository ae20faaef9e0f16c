import { DeviceId, routes } from "@device-gateway/core/contract";
import { z } from "zod";
import { Fault } from "../cloud/fault.js";

export const routeNames = Object.keys(routes) as (keyof typeof routes)[];
export const Route = z
  .enum(routeNames)
  .meta({ description: "Name of a route of the gateway's API." });
export const Epoch = z.int().meta({ description: "Epoch milliseconds." });
export const Device = z.object({
  deviceId: DeviceId,
  claimCode: z.string(),
  deviceSecret: z.string(),
  token: z.string(),
});

export const Cloud = z.object({
  url: z.string().meta({ description: "The address for devices." }),
  online: z.boolean(),
  now: Epoch.meta({ description: "The cloud's clock, in epoch milliseconds." }),
  releaseKey: z.object({ id: z.string(), pem: z.string() }).meta({
    description: "The public key of the cloud's releases, which a device must trust.",
  }),
  tlsAuthority: z.string().meta({
    description: "The certificate (PEM) that devices must trust if the address is HTTPS.",
  }),
});

export const SeenRequest = z.object({
  at: Epoch,
  route: Route.nullable(),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown().meta({ description: "The parsed JSON body. null if it was not read." }),
  status: z
    .int()
    .nullable()
    .meta({ description: "The status of the response. null if the request never arrived." }),
  fault: Fault.nullable(),
});

export const AuditedEvent = z.object({
  kind: z.string(),
  at: Epoch,
  deviceId: z.string().meta({ description: "Empty if the event is not about a device." }),
  actor: z.string(),
  details: z.record(z.string(), z.unknown()),
});
