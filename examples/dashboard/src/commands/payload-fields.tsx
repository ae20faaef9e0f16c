import * as commandsText from "../text/commands.js";
import { Field, Select } from "../ui/parts.js";
import type { PayloadField } from "./payload-schema.js";

function PayloadInput({ field }: { readonly field: PayloadField }) {
  const { name, kind, required, choices, min, max, initial, hint } = field;
  const id = `payload-${name}`;
  const label = required || kind === "boolean" ? field.label : commandsText.optional(field.label);
  if (kind === "boolean") {
    return (
      <label class="check">
        <input type="checkbox" name={name} defaultChecked={initial === "true"} />
        <span>
          {label}
          {hint && <span class="small muted block">{hint}</span>}
        </span>
      </label>
    );
  }
  if (kind === "choice") {
    const options = choices.map((choice) => [choice, choice] as const);
    return (
      <Select
        id={id}
        name={name}
        label={label}
        options={required ? options : [["", commandsText.unset], ...options]}
        defaultValue={initial}
      />
    );
  }
  const isNumber = kind !== "text";
  return (
    <Field
      {...{ id, name, label, required }}
      type={isNumber ? "number" : "text"}
      {...(kind === "number" && { step: "any" })}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      {...(hint !== undefined && { hint })}
      defaultValue={initial}
      autocomplete="off"
    />
  );
}

/** The fields of a command's payload, or one field for JSON if its schema is not flat. */
export const PayloadFields = ({
  fields,
}: {
  readonly fields: readonly PayloadField[] | undefined;
}) =>
  fields === undefined ? (
    <div class="field">
      <label for="payload">{commandsText.payload}</label>
      <textarea
        id="payload"
        name="payload"
        class="input"
        spellcheck={false}
        aria-describedby="payload-hint"
      >
        {"{}"}
      </textarea>
      <p class="hint" id="payload-hint">
        {commandsText.payloadHint}
      </p>
    </div>
  ) : (
    fields.map((field) => <PayloadInput key={field.name} field={field} />)
  );
