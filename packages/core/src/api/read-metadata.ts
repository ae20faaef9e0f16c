import type { StandardSchemaV1 } from "@standard-schema/spec";
import { err, ok, type Result } from "neverthrow";
import { problems, type Routes } from "../contract/index.js";
import { toFieldErrors } from "../shared/field-errors.js";
import type { CallFailure, GatewayApi } from "./gateway-api.js";

/**
 * Returns the metadata of a device, typed by its schema (§8). It is null if nothing was set. Metadata that was stored
 * under another schema and no longer matches is the error `internal`, with the invalid keys in `errors`.
 * @example
 * ```ts
 * const site = await readMetadata(gateway.as(operator({ id: "billing" })), Site, deviceId);
 * if (site.isOk()) console.log(site.value?.customerNumber);
 * ```
 */
export async function readMetadata<Schema extends StandardSchemaV1>(
  api: Pick<GatewayApi, "readDeviceMetadata">,
  schema: Schema,
  deviceId: string,
): Promise<
  Result<StandardSchemaV1.InferOutput<Schema> | null, CallFailure<Routes["readDeviceMetadata"]>>
> {
  const answer = await api.readDeviceMetadata({ params: { deviceId } });
  if (answer.isErr()) return err(answer.error);
  const { metadata } = answer.value.body;
  if (metadata === null) return ok(null);
  const parsed = await schema["~standard"].validate(metadata);
  if (parsed.issues === undefined) return ok(parsed.value);
  const { status } = problems.internal;
  return err({
    code: "internal",
    status,
    detail: `The metadata of ${deviceId} does not match the schema. Change the keys in \`errors\`.`,
    errors: toFieldErrors(parsed),
  });
}
