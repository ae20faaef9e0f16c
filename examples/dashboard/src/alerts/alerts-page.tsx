import { useEffect } from "preact/hooks";
import { fleet, readFleet, refreshPeriodMs } from "../fleet/fleet.js";
import { place, setQuery } from "../router.js";
import { isOperator } from "../session.js";
import * as alertsText from "../text/alerts.js";
import { Segments } from "../ui/parts.js";
import { useTitle } from "../ui/title.js";
import { AlertCards } from "./alert-cards.js";
import type { AlertScope } from "./use-alerts.js";

const scopes = [
  ["operator", alertsText.ofFleet],
  ["own", alertsText.ofMine],
] as const;

/** Shows what fires, for an owner's devices or for the fleet, and the rules. */
export function AlertsPage() {
  useTitle(alertsText.title);
  const scope: AlertScope =
    isOperator.value && place.value.query.get("rules") !== "own" ? "operator" : "own";
  // The list is not loaded yet if this is the first page that the user opens.
  useEffect(() => void readFleet(refreshPeriodMs()), []);
  return (
    <>
      <div class="head">
        <div class="head-text">
          <h1>{alertsText.title}</h1>
          <p class="muted">
            {alertsText.hint} {alertsText.hintMail}
          </p>
        </div>
        {isOperator.value && (
          <Segments
            label={alertsText.whose}
            options={scopes}
            chosen={scope}
            onChoose={(chosen) => setQuery({ rules: chosen === "own" ? "own" : undefined })}
          />
        )}
      </div>
      <AlertCards key={scope} scope={scope} devices={fleet.value.devices} />
    </>
  );
}
