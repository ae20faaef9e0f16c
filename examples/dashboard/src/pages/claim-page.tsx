import { ClaimForm } from "../connect/claim-form.js";
import { place } from "../router.js";
import * as claimText from "../text/claim.js";
import { useTitle } from "../ui/title.js";

/** The target of the link on a gateway's label. */
export function ClaimPage() {
  useTitle(claimText.claimAGateway);
  const { query } = place.value;
  const [deviceId, claimCode] = [query.get("device"), query.get("code")];
  const label = deviceId !== null && claimCode !== null ? { deviceId, claimCode } : undefined;
  return (
    <div class="narrow">
      <div class="stack-small">
        <h1>{claimText.claimAGateway}</h1>
        <p class="muted">{label ? claimText.filledByLink : claimText.enterDetails}</p>
      </div>
      <div class="card card-body stack">
        {/* The key fills in the fields again if another link is opened. */}
        <ClaimForm key={query.toString()} label={label} />
      </div>
    </div>
  );
}
