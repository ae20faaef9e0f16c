import { useState } from "preact/hooks";
import { Card, Segments } from "../ui/parts.js";
import { Scrollable } from "../ui/scrollable.js";
import { showToast } from "../ui/toast.js";
import { type Identity, type Language, languages, sampleOf } from "./samples.js";

const options = languages.map((language) => [language, language] as const);

/** Shows a program to copy that registers the device and sends a record. */
export function CodeSamples(identity: Identity) {
  const [language, setLanguage] = useState<Language>("curl");
  const code = sampleOf(language, identity);
  const copy = () => void navigator.clipboard.writeText(code).then(() => showToast("Code copied."));
  return (
    <Card
      title="2. Register it and send a record"
      actions={
        <Segments label="Language" options={options} chosen={language} onChoose={setLanguage} />
      }
    >
      <div class="stack-small">
        <Scrollable class="code" label="Code">
          <pre class="command-line mono">{code}</pre>
        </Scrollable>
        <div>
          <button type="button" class="button small" onClick={copy}>
            Copy code
          </button>
        </div>
      </div>
    </Card>
  );
}
