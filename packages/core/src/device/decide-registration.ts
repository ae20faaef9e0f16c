/** What is known when a device that is registered already asks to be registered again. */
export interface RegistrationFacts {
  readonly revoked: boolean;
  readonly owned: boolean;
  /** The owner or an operator has opened a re-enrolment window, and it is not used up. */
  readonly windowOpen: boolean;
  /** The request carries the current or the pending secret. */
  readonly secretMatches: boolean;
  /** The request carries the right claim code. */
  readonly codeMatches: boolean;
  /** Same hardwareId, and the same fingerprint where one is known. */
  readonly sameHardware: boolean;
  /** From before claim codes: there is none stored. */
  readonly legacy: boolean;
  /** Its credential was used at least once. */
  readonly used: boolean;
}

/**
 * Says whether a registered device may be registered again. Its answer must depend on the facts alone: the gateway
 * also asks it about a right code and other hardware, to find out whether a check of the code could matter.
 */
export type RegistrationPolicy = (facts: RegistrationFacts) => boolean;

/**
 * The policy of contract §1: by its secret; or by claim code on the same hardware while not owned
 * or inside a re-enrolment window; or a legacy device that is not owned and was never used.
 */
export const decideRegistration: RegistrationPolicy = (facts) => {
  if (facts.secretMatches) return true;
  if (!facts.sameHardware) return false;
  if (facts.legacy) return !facts.owned && !facts.used;
  return facts.codeMatches && (!facts.owned || facts.windowOpen);
};
