import { sha256 } from "@noble/hashes/sha2.js";
import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { MetricDescriptions, MetricsAnswer } from "../contract/index.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import { canonicalJson } from "../shared/json.js";
import type { User } from "../user/user.js";
import { mergeDescriptions } from "./metric-rules.js";

/** Describes the metrics of a target hardware for operators. */
export function toMetricsAnswer(
  { metrics: rules }: Pick<GatewayContext, "metrics">,
  targetHardware: string,
  stored: MetricDescriptions | null,
): MetricsAnswer {
  const metrics = stored ?? {};
  const digest = sha256(toUtf8(canonicalJson(metrics)));
  return {
    metrics,
    declared: rules.declaredFor(targetHardware),
    metricsVersion: toBase64Url(digest.subarray(0, 12)),
  };
}

/** Returns what operators and the embedder say about the metrics of a target hardware (§8). */
export async function readHardwareMetrics(
  context: GatewayContext,
  targetHardware: string,
): Promise<MetricsAnswer> {
  const stored = await context.store.metrics.find(targetHardware);
  return toMetricsAnswer(context, targetHardware, stored);
}

/** Returns how the metrics of a target hardware are shown. */
export async function findDescriptions(
  { store, metrics: rules }: GatewayContext,
  targetHardware: string,
): Promise<MetricDescriptions> {
  const stored = await store.metrics.find(targetHardware);
  return mergeDescriptions(rules.declaredFor(targetHardware), stored ?? {});
}

/** Returns how the metrics of a device are shown, for a user who may see it (§7). */
export async function readDeviceMetrics(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<MetricDescriptions, Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  return ok(await findDescriptions(context, visible.value.device.profile.targetHardware));
}
