import type { Gateway, GatewayOptions } from "@device-gateway/core";
import type { RouteName } from "@device-gateway/core/contract";
import type { GatewayStore, Release, SecurityEvent } from "@device-gateway/core/store";
import type { FakeClock } from "../fixtures/fake-clock.js";
import type { CloudAddress } from "./cloud-server.js";
import type { PlantedUser } from "./cloud-users.js";
import type { Fault } from "./fault.js";
import type { FaultTimes } from "./fault-plan.js";
import type { ReleaseKey, ReleasePlan } from "./release-signer.js";
import type { SeenRequest } from "./seen-request.js";

export interface TestCloudOptions {
  /** What differs from the defaults of a gateway for tests. */
  readonly gateway?: Partial<Omit<GatewayOptions, "clock" | "customers" | "publicUrl">>;
  /**
   * Whether time goes on by itself, for real hardware. Default: it stands still until the clock is
   * advanced.
   */
  readonly realTime?: boolean;
}

export interface DevicePlan {
  readonly deviceId?: string;
  /** Default: `ABCD-EFGH`. */
  readonly claimCode?: string;
  readonly hardwareId?: string;
  /** Default: `1.0.0`. */
  readonly firmwareVersion?: string;
  /** The customer who has claimed it. Default: nobody. */
  readonly owner?: string;
}

export interface PlantedDevice {
  readonly deviceId: string;
  readonly claimCode: string;
  readonly deviceSecret: string;
  readonly token: string;
}

/** A whole gateway for one test, with a clock to move, faults to plan and all that it saw. */
export interface TestCloud {
  /** Of requests in process; `listen` gives the one of a port. */
  readonly baseUrl: string;
  /** Answers in process, as the runtime's own would over the network. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Opens a port, for other processes and real hardware; gives its URL. */
  listen(address?: CloudAddress): Promise<string>;

  readonly clock: FakeClock;
  /** Moves the clock instead of waiting: the `sleep` of a device under test. */
  sleep(ms: number): Promise<void>;

  /** Registers a device as if it had done so itself. */
  plantDevice(plan?: DevicePlan): Promise<PlantedDevice>;
  /** The key that planted releases are signed with: what a device under test must trust. */
  readonly releaseKey: ReleaseKey;
  /** Signs a release, publishes it with its image and activates it. */
  plantRelease(plan: ReleasePlan): Promise<Release>;
  /** Makes an account and gives its bearer token. */
  signIn(id: string, user?: PlantedUser): string;

  /** Plans that something goes wrong with the next request of a route. */
  fail(route: RouteName | "any", fault: Fault, times?: FaultTimes): void;
  /** Nothing that was planned happens any more. */
  clearFaults(): void;
  /** Moves the clock beyond the lifetime of every token that was given out. */
  expireTokens(): void;
  /** Shuts a device out: from now on no token or secret of its is good. */
  revoke(deviceId: string): Promise<void>;
  /** Nothing reaches the cloud until it comes back. */
  vanish(): Promise<void>;
  comeBack(): Promise<void>;
  /** Starts the gateway anew over the same store: what was only in memory is gone. */
  restart(): Promise<void>;

  /** Every request, oldest first. */
  readonly seen: readonly SeenRequest[];
  seenOf(route: RouteName): readonly SeenRequest[];
  /** Records that are stored of a device, as they were sent, in the order of arrival. */
  records(deviceId: string): Promise<readonly unknown[]>;
  /** What the audit trail holds. */
  auditTrail(): Promise<readonly SecurityEvent[]>;
  readonly store: GatewayStore;
  readonly gateway: Gateway;

  close(): Promise<void>;
}
