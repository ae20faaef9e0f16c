import type { RouteError, Routes } from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import type { ClientError } from "../client-error.js";
import type { DeviceRouteName } from "../device-client.js";
import type { CallValue } from "../route-types.js";

/**
 * Why a device's call failed: its route's own codes, those of signing in that may work later, or
 * `storage` when its secret could not be read or kept.
 */
export type DeviceCallError<Name extends DeviceRouteName> = ClientError<
  RouteError<Routes[Name]> | "too_many_requests" | "too_many_attempts" | "storage"
>;

/** A call of a device under way, signing in included. */
export type DeviceCall<Name extends DeviceRouteName> = ResultAsync<
  CallValue<Routes[Name]>,
  DeviceCallError<Name>
>;
