import type { RouteError, Routes } from "@device-gateway/core/contract";
import type { ResultAsync } from "neverthrow";
import type { ClientError } from "../client-error.js";
import type { DeviceRouteName } from "../device-client.js";
import type { CallValue } from "../route-types.js";

/**
 * Why a call of a device failed: the route's own codes, the transient codes of signing in, or
 * `storage` if the secret could not be read or stored.
 */
export type DeviceCallError<Name extends DeviceRouteName> = ClientError<
  RouteError<Routes[Name]> | "too_many_requests" | "too_many_attempts" | "storage"
>;

/** A pending call of a device. It includes signing in. */
export type DeviceCall<Name extends DeviceRouteName> = ResultAsync<
  CallValue<Routes[Name]>,
  DeviceCallError<Name>
>;
