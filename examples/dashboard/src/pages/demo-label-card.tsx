import { useEffect, useState } from "preact/hooks";
import { claimPath } from "../claim-path.js";
import { Link } from "../router.js";
import { site } from "../session.js";
import type { DemoLabel } from "../site-answer.js";
import * as claimText from "../text/claim.js";
import { Card } from "../ui/parts.js";

/** Shows the demo gateway's label as it would be printed on a real gateway. */
export function DemoLabelCard({ label }: { label: DemoLabel }) {
  const [code, setCode] = useState("");
  const origin = typeof site.value === "object" ? site.value.url : location.origin;
  const url = origin + claimPath(label);
  useEffect(() => {
    void import("uqr").then(({ renderSVG }) =>
      setCode(`data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 0 }))}`),
    );
  }, [url]);
  return (
    <Card title={claimText.demoLabel}>
      <div class="label-card">
        <div class="qr">
          {code && <img src={code} width="112" height="112" alt={claimText.claimLinkQrCode} />}
        </div>
        <div class="stack-small">
          <p class="muted">{claimText.demoLabelHint}</p>
          <p class="mono">
            {label.deviceId}
            <br />
            {label.claimCode}
          </p>
          <div>
            <Link to={claimPath(label)} class="button">
              {claimText.claimDemoGateway}
            </Link>
          </div>
        </div>
      </div>
    </Card>
  );
}
