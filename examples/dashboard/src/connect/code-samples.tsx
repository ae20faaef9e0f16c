import { useState } from "preact/hooks";
import * as connectText from "../text/connect.js";
import { copyText } from "../ui/copy-text.js";
import { Card, Segments } from "../ui/parts.js";
import { Scrollable } from "../ui/scrollable.js";
import { type Identity, type Language, languages, sampleOf } from "./samples.js";

const options = languages.map((language) => [language, language] as const);

/** Shows a program to copy that registers the device and sends a record. */
export function CodeSamples(identity: Identity) {
  const [language, setLanguage] = useState<Language>("curl");
  const code = sampleOf(language, identity);
  const copy = () => void copyText(code, connectText.codeCopied);
  return (
    <Card
      title={connectText.stepRegister}
      actions={
        <Segments
          label={connectText.language}
          options={options}
          chosen={language}
          onChoose={setLanguage}
        />
      }
    >
      <div class="stack-small">
        <Scrollable class="code" label={connectText.code}>
          <pre class="command-line mono">{code}</pre>
        </Scrollable>
        <div>
          <button type="button" class="button small" onClick={copy}>
            {connectText.copyCode}
          </button>
        </div>
      </div>
    </Card>
  );
}
