import { Limits } from "@device-gateway/core";
import { z } from "zod";
import type { RecordedRequest } from "../cloud/recorded-request.js";
import type { TestCloud } from "../cloud/test-cloud.js";
import { ControlError } from "./control-error.js";
import { controlOpenApi } from "./control-openapi.js";
import type { ControlAnswer, ControlRequest, ControlRouteName } from "./control-routes.js";

/** A command with any object as its payload. */
const anyCommand = { payload: z.looseObject({}), sentBy: ["owner", "operator"] } as const;

/** One handler for each operation of the control API. */
export type ControlHandlers = {
  readonly [Name in ControlRouteName]: (
    request: ControlRequest<Name>,
  ) => ControlAnswer<Name> | Promise<ControlAnswer<Name>>;
};

function toSeen({ header: _, body, ...seen }: RecordedRequest) {
  return { ...seen, body: body ?? null };
}

/** Leaves out the fields that are undefined, because an absent option has a default. */
function present<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}

/** Maps each operation to a call of the cloud. `url` is the cloud's address for devices. */
export function createControlHandlers(cloud: TestCloud, url: string): ControlHandlers {
  const describe = () => ({
    url,
    online: !cloud.isOffline,
    now: cloud.clock.now(),
    releaseKey: cloud.releaseKey,
    tlsAuthority: cloud.tlsAuthority,
  });
  return {
    readCloud: describe,
    async reset({ body: { clock, limits, commands } }) {
      const checked = Limits.safeParse(limits);
      if (!checked.success) {
        const [{ path = [], message = "" } = {}] = checked.error.issues;
        throw new ControlError(400, `${["limits", ...path].join(".")}: ${message}`);
      }
      const declared = Object.fromEntries(commands.map((name) => [name, anyCommand]));
      const gateway = { limits, ...(commands.length > 0 && { commands: declared }) };
      await cloud.reset({ realTime: clock === "real", gateway });
      return describe();
    },
    goOffline: () => cloud.goOffline(),
    goOnline: () => cloud.goOnline(),
    restart: () => cloud.restart(),
    presentCertificate: ({ body }) => cloud.presentCertificate(body.kind),
    async advanceClock({ body }) {
      await cloud.sleep(body.ms);
      return { now: cloud.clock.now() };
    },
    expireTokens: () => cloud.expireTokens(),
    addDevice: ({ body }) => cloud.addDevice(present(body)),
    revokeDevice: ({ params }) => cloud.revoke(params.deviceId),
    readRecords: async ({ params }) => ({ records: [...(await cloud.records(params.deviceId))] }),
    sendCommand: async ({ params: { deviceId }, body: { name, payload } }) => ({
      commandId: await cloud.sendCommand(deviceId, name, payload),
    }),
    readCommand: ({ params: { deviceId, commandId } }) => cloud.readCommand(deviceId, commandId),
    addRelease: ({ query, body }) => cloud.addRelease({ ...present(query), image: body }),
    signIn: ({ body: { id, ...user } }) => ({ token: cloud.signIn(id, present(user)) }),
    fail: ({ body: { route, fault, ...times } }) => cloud.fail(route, fault, present(times)),
    clearFaults: () => cloud.clearFaults(),
    readRequests({ query: { route } }) {
      const requests = route === undefined ? cloud.requests : cloud.requestsTo(route);
      return { requests: requests.map(toSeen) };
    },
    async readAuditTrail() {
      const events = await cloud.auditTrail();
      return {
        events: events.map(({ kind, at, deviceId, actor, details }) => ({
          ...{ kind, at, deviceId, actor, details },
        })),
      };
    },
    readOpenApi: () => controlOpenApi(),
  };
}
