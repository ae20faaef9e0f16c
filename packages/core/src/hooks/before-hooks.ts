import type { RegistrationFacts } from "../device/decide-registration.js";
import type { RequestOrigin } from "../shared/request-origin.js";

/** Why a hook refuses. The caller gets both in the problem document. */
export interface Refusal {
  /** A stable name that clients branch on, such as `device_limit`. */
  readonly reason: string;
  /** What is wrong and what to do next. */
  readonly detail: string;
}

/** A registration that the gateway would accept. The fields that a new device sends about itself are not verified. */
export interface BeforeRegister {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly firmwareVersion: string;
  /** The facts that proved the identity of a known device. Null: the device is new. */
  readonly known: RegistrationFacts | null;
  readonly origin: RequestOrigin;
}

/** A claim with correct proof, or an assignment in code. Nobody owns the device. */
export interface BeforeClaim {
  readonly deviceId: string;
  readonly customerId: string;
  /** The operator who assigns the device without its code. Null: the customer claims it. */
  readonly assignedBy: string | null;
  readonly origin: RequestOrigin;
}

/** A release of a device by its owner. */
export interface BeforeRelease {
  readonly deviceId: string;
  readonly customerId: string;
  readonly origin: RequestOrigin;
}

/** A firmware release that an operator activates, for the first time or after a pause. */
export interface BeforePublish {
  readonly releaseId: number;
  readonly version: string;
  readonly targetHardware: string;
  readonly rolloutChannel: string;
  readonly rolloutPercent: number;
  /** The id of the operator. */
  readonly actor: string;
  readonly origin: RequestOrigin;
}

type Verdict = Refusal | undefined;
type Hook<Input> = (input: Input) => Verdict | Promise<Verdict>;

/**
 * Functions that may refuse a change. Each is called after the caller's proof and before anything is written. A hook may
 * be called more than once for a request. If it throws, the response is 500 and nothing changes.
 */
export interface BeforeHooks {
  readonly register?: Hook<BeforeRegister>;
  readonly claim?: Hook<BeforeClaim>;
  readonly release?: Hook<BeforeRelease>;
  readonly publish?: Hook<BeforePublish>;
}
