import type { CallFailure } from "../api/call.js";
import * as claimText from "../text/claim.js";
import { formatDuration } from "../ui/format.js";
import { ErrorNotice, Notice } from "../ui/parts.js";

/** Returns the error's sentence. For some errors the page gives more advice than the API. */
function explain({ code, message, retryAfterSeconds }: CallFailure): string {
  if (code === "too_many_attempts" && retryAfterSeconds !== undefined) {
    return claimText.tooManyWrongCodes(formatDuration(retryAfterSeconds));
  }
  if (code === "invalid_claim") {
    return claimText.invalidClaim;
  }
  return message;
}

/** Says why a claim failed, and what to do. */
export function ClaimFailure({ failure }: { failure: CallFailure | undefined }) {
  if (failure === undefined) return null;
  return (
    <>
      <ErrorNotice failure={{ message: explain(failure) }} />
      {failure.code === "already_claimed" && <Notice>{claimText.askFormerOwner}</Notice>}
    </>
  );
}
