/** What the gateway knows when a registered device asks to register again. */
export interface RegistrationFacts {
  readonly revoked: boolean;
  readonly owned: boolean;
  /** A re-enrolment window is open. */
  readonly windowOpen: boolean;
  /** The request contains the current or the pending secret. */
  readonly secretMatches: boolean;
  /** The request contains the correct claim code. */
  readonly codeMatches: boolean;
  /** The hardwareId is the same, and so is the fingerprint if one is known. */
  readonly sameHardware: boolean;
  /** The device registered before claim codes existed, so none is stored. */
  readonly legacy: boolean;
  /** The device has used a credential at least once. */
  readonly used: boolean;
}

/**
 * Decides whether a registered device may register again. The result must depend on the facts only: the gateway
 * also calls the policy with a correct code and with other hardware, to find out whether checking the code matters.
 * `codeMatches` is false until the code was checked, and the code is checked only if the policy refuses without it. So
 * a policy that returns true although neither `secretMatches` nor `codeMatches` is true admits strangers.
 */
export type RegistrationPolicy = (facts: RegistrationFacts) => boolean;

/**
 * The default policy (§1). It accepts the device's secret. It also accepts the claim code on the same hardware,
 * while the device has no owner or its re-enrolment window is open. It accepts a legacy device on the same hardware
 * that has no owner and was never used.
 * @example
 * ```ts
 * // In a re-enrolment window, also accepts the code on other hardware.
 * const registrationPolicy: RegistrationPolicy = (facts) =>
 *   (facts.windowOpen && facts.codeMatches) || decideRegistration(facts);
 * ```
 */
export const decideRegistration: RegistrationPolicy = (facts) => {
  if (facts.secretMatches) return true;
  if (!facts.sameHardware) return false;
  if (facts.legacy) return !facts.owned && !facts.used;
  return facts.codeMatches && (!facts.owned || facts.windowOpen);
};
