import type { Gateway, GatewayOptions } from "@device-gateway/core";
import type { OperatorRelease, RouteName, SentCommand } from "@device-gateway/core/contract";
import type { GatewayStore, SecurityEvent } from "@device-gateway/core/store";
import type { FakeClock } from "../fixtures/fake-clock.js";
import type { CertificateKind } from "./cloud-certificates.js";
import type { CloudAddress } from "./cloud-server.js";
import type { CloudUserOptions } from "./cloud-users.js";
import type { Fault } from "./fault.js";
import type { FaultTimes } from "./fault-plan.js";
import type { RecordedRequest } from "./recorded-request.js";

export interface TestCloudOptions {
  /** Options for the gateway, over the defaults for tests. */
  readonly gateway?: Partial<Omit<GatewayOptions, "clock" | "customers" | "publicUrl">>;
  /**
   * Whether the clock runs in real time, as real hardware needs. Default: false, the clock stands still until it is
   * advanced.
   */
  readonly realTime?: boolean;
}

export interface DeviceOptions {
  readonly deviceId?: string;
  /** Default: `ABCD-EFGH`. */
  readonly claimCode?: string;
  readonly hardwareId?: string;
  /** Default: `1.0.0`. */
  readonly firmwareVersion?: string;
  /** The customer who owns the device. Default: nobody. */
  readonly owner?: string;
}

/** The public key of the test cloud's releases. Devices pin it, and the gateway verifies with it. */
export interface ReleaseKey {
  readonly id: string;
  readonly pem: string;
}

export interface ReleaseOptions {
  readonly version: string;
  readonly targetHardware: string;
  readonly image: Uint8Array;
  /** Default: 100. */
  readonly rolloutPercent?: number;
  /** Default: `stable`. */
  readonly rolloutChannel?: string;
}

export interface CloudDevice {
  readonly deviceId: string;
  readonly claimCode: string;
  readonly deviceSecret: string;
  readonly token: string;
}

/** A whole gateway for one test, with a fake clock, planned faults and a record of all requests. */
export interface TestCloud {
  /** The base URL for `fetch`, in process. `listen` returns the URL of a port. */
  readonly baseUrl: string;
  /** Handles a request in process. It behaves like the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Opens a port for other processes and real hardware. Returns its URL. */
  listen(address?: CloudAddress): Promise<string>;

  /**
   * When it is 10 minutes later than at the last round of maintenance, the next call of the cloud or request runs
   * maintenance first: as on a server, it deletes expired data and ends overdue updates and commands. Direct calls of
   * `gateway` and `store` do not run it.
   */
  readonly clock: FakeClock;
  /**
   * Advances the clock instead of waiting, and runs maintenance if it is due. Pass it as `sleep` to the device under
   * test.
   */
  sleep(ms: number): Promise<void>;

  /** Registers a device through the API, and claims it if the options name an owner. */
  addDevice(plan?: DeviceOptions): Promise<CloudDevice>;
  /** The public key of `addRelease`. The device under test must trust it. */
  readonly releaseKey: ReleaseKey;
  /** Signs a release, uploads its image and activates it. */
  addRelease(plan: ReleaseOptions): Promise<OperatorRelease>;
  /**
   * Sends a command to a device as an operator. The option `gateway.commands` must declare it and let operators send it.
   * Returns its id.
   */
  sendCommand(deviceId: string, name: string, payload?: object): Promise<string>;
  /** Returns a command with its state and the device's answer. */
  readCommand(deviceId: string, commandId: string): Promise<SentCommand>;
  /** Creates an account and returns its bearer token. */
  signIn(id: string, user?: CloudUserOptions): string;

  /** Plans a fault for the next request of a route. */
  fail(route: RouteName | "any", fault: Fault, times?: FaultTimes): void;
  /** Removes all planned faults. */
  clearFaults(): void;
  /** The certificate (PEM) that clients of an HTTPS port must trust. */
  readonly tlsAuthority: string;
  /**
   * Presents another certificate on HTTPS ports from now on, and closes their connections: `self_signed`, `expired`,
   * `wrong_name`, or the `valid` one again.
   */
  presentCertificate(kind: CertificateKind): void;
  /** Advances the clock beyond the lifetime of every issued device token. No maintenance is due because of it. */
  expireTokens(): void;
  /**
   * Revokes a device. Its tokens and secrets are rejected from now on.
   * @throws {Error} if the cloud has no such device.
   */
  revoke(deviceId: string): Promise<void>;
  readonly isOffline: boolean;
  /** Makes the cloud unreachable until `goOnline`. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Restarts the gateway over the same store. Everything that was only in memory is lost. */
  restart(): Promise<void>;
  /**
   * Replaces everything with a new, empty cloud: devices, records, releases, accounts, clock, faults and requests.
   * Ports, release key and TLS authority stay. The options replace those of `createTestCloud`, by default with the same
   * ones.
   * @throws {Error} if the cloud was created with a store, or an option is invalid. The former cloud goes on then.
   */
  reset(options?: TestCloudOptions): Promise<void>;

  /** The latest 10,000 requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  requestsTo(route: RouteName): readonly RecordedRequest[];
  /** Returns a device's stored records as sent, in the order of arrival. */
  records(deviceId: string): Promise<readonly unknown[]>;
  /** Returns every event of the audit trail, oldest first. */
  auditTrail(): Promise<readonly SecurityEvent[]>;
  readonly store: GatewayStore;
  readonly gateway: Gateway;

  close(): Promise<void>;
}
