import type { GatewayContext } from "../../context.js";
import type { metadataRoutes } from "../../contract/metadata.js";
import { changeMetadata } from "../../metadata/change-metadata.js";
import type { MetadataAnswer } from "../../metadata/metadata-answer.js";
import { readMetadata } from "../../metadata/read-metadata.js";
import type { JsonObject } from "../../shared/json.js";
import type { HandlersOf } from "../call.js";
import { toAccepts } from "../etag.js";

const toAnswer = (body: MetadataAnswer) => ({
  status: 200 as const,
  body,
  headers: { etag: `"${body.metadataVersion}"` },
});

/** Creates the handlers of the metadata routes of operators. */
export const createMetadataHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof metadataRoutes> => ({
  readDeviceMetadata: async ({ params: { deviceId } }) =>
    (await readMetadata(context, deviceId)).map(toAnswer),
  changeDeviceMetadata: async ({ caller, params, body, headers, origin, deadline }) => {
    const accepts = toAccepts(headers["if-match"]);
    // The body was parsed from JSON, so it contains only JSON values.
    const patch = body as JsonObject;
    const { deviceId } = params;
    const { check: checkDeadline } = deadline;
    const change = { deviceId, patch, accepts, operator: caller, checkDeadline, origin };
    return (await changeMetadata(context, change)).map(toAnswer);
  },
});
