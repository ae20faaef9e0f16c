import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallFailure } from "../api/call.js";
import * as shellText from "../text/shell.js";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

interface CardProps {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** An explanation below the title. */
  readonly hint?: ComponentChildren;
  /** Removes the padding, for tables. */
  readonly flush?: boolean;
  readonly children: ComponentChildren;
}

export function Card({ title, actions, hint, flush = false, children }: CardProps) {
  return (
    <section class="card">
      {title !== undefined && (
        <div class="card-head">
          <h2>{title}</h2>
          {actions}
          {hint !== undefined && <p class="card-hint">{hint}</p>}
        </div>
      )}
      {flush ? children : <div class="card-body">{children}</div>}
    </section>
  );
}

interface NoticeProps {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}

/** Shows a message. Screen readers announce errors at once, and other messages when they are idle. */
export function Notice({ tone = "plain", children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly failure: Pick<CallFailure, "message"> | undefined;
  readonly retry?: () => void;
}

/** Shows what went wrong and what to do. Shows nothing without a failure. */
export function ErrorNotice({ failure, retry }: ErrorNoticeProps) {
  if (failure === undefined) return null;
  return (
    <Notice tone="bad">
      <p>{failure.message}</p>
      {retry && (
        <div>
          <button type="button" class="button small" onClick={retry}>
            {shellText.tryAgain}
          </button>
        </div>
      )}
    </Notice>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** Whether it fills the page. Its title is then the page's heading. */
  readonly whole?: boolean;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** Explains an empty list or page, and what to do next. */
export function EmptyState({ title, whole = false, children, actions }: EmptyStateProps) {
  return (
    <div class="empty">
      {whole ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

export const Status = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`status ${tone}`}>{children}</span>
);

export const Badge = ({ tone = "plain", children }: NoticeProps) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** Reserves space for content that is being loaded. */
export const Skeleton = ({ height, width = "100%" }: { height: number; width?: string }) => (
  <div class="skeleton" style={{ height: `${height}px`, width }} aria-hidden="true" />
);

interface FieldProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "number";
  readonly hint?: ComponentChildren;
  readonly class?: string;
  readonly defaultValue?: string | number;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly autocapitalize?: "characters" | "none";
  readonly spellcheck?: boolean;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  /** Makes the field controlled. Needs `onInput`, unless the field is read-only. */
  readonly value?: string;
  /** Shows a keypad with digits on phones. */
  readonly numeric?: boolean;
  /** Gets the focus when it is first shown. */
  readonly focused?: boolean;
  readonly onInput?: (value: string) => void;
}

export function Field(props: FieldProps) {
  const { id, label, hint, type = "text", class: extra = "", onInput, ...others } = props;
  const { numeric = false, focused = false, ...rest } = others;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) input.current?.focus();
  }, [focused]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={input}
        type={type as "text"}
        {...(numeric && { inputMode: "numeric" as const })}
        class={`input ${extra}`}
        {...(onInput && {
          onInput: (event: InputEvent) => onInput((event.currentTarget as HTMLInputElement).value),
        })}
        {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        {...rest}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectProps {
  readonly id: string;
  /** The name in the form's data. Default: none, for a select whose value is in the state. */
  readonly name?: string;
  readonly label: string;
  /** The value and the label of each option. */
  readonly options: readonly (readonly [string, string])[];
  readonly hint?: string;
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
}

export function Select(props: SelectProps) {
  const { id, name, label, options, hint, defaultValue, onChange } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        {...(name !== undefined && { name })}
        class="input"
        {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === defaultValue}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [Value, string])[];
  /** Undefined if none of the options is in effect. */
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
}

/** Lets the user choose one of a few options. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, options, chosen, onChoose } = props;
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map(([value, text]) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
