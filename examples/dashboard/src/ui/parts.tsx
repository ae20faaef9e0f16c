import type { ComponentChildren } from "preact";
import type { CallFailure } from "../api/call.js";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

interface CardProps {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** What it is about, below the title. */
  readonly hint?: ComponentChildren;
  /** Without padding, for tables. */
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

/** A sentence that must be seen. Trouble is read out at once, other news when there is time. */
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

/** What went wrong, and what to do about it. Nothing while all is well. */
export function ErrorNotice({ failure, retry }: ErrorNoticeProps) {
  if (failure === undefined) return null;
  return (
    <Notice tone="bad">
      <p>{failure.message}</p>
      {retry && (
        <div>
          <button type="button" class="button small" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </Notice>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** Whether it is all of a page, and its title the page's. */
  readonly whole?: boolean;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** Where nothing is yet: why, and what to do first. */
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

/** Holds the place of what is being loaded, at its size. */
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
  /** Controlled, together with `onInput`. */
  readonly value?: string;
  readonly onInput?: (value: string) => void;
}

export function Field(props: FieldProps) {
  const { id, label, hint, type = "text", class: extra = "", onInput, ...rest } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type as "text"}
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

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** One of a few: a range, a filter. */
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
