import type { ComponentChildren } from "preact";
import { ErrorNotice } from "../ui/parts.js";
import type { Submission } from "./use-submit.js";

interface AccountFormProps {
  readonly submission: Submission;
  /** What the button says. */
  readonly action: string;
  /** Default: primary. */
  readonly tone?: "primary" | "danger" | "plain";
  /** Whether the form is the page's card. Otherwise it is inside one. Default: true. */
  readonly whole?: boolean;
  /** Links below the button. */
  readonly foot?: ComponentChildren;
  /** The fields. */
  readonly children?: ComponentChildren;
}

/** A form about an account: its fields, one button, and why sending it failed. */
export function AccountForm(props: AccountFormProps) {
  const { submission, action, tone = "primary", whole = true, foot, children } = props;
  const { busy, failure, onSubmit, form } = submission;
  return (
    <form
      class={whole ? "card card-body form" : "form"}
      ref={form}
      onSubmit={(event) => void onSubmit(event)}
    >
      {children}
      <div>
        <button
          type="submit"
          class={`button ${tone === "plain" ? "" : tone} ${whole ? "wide" : ""}`}
          disabled={busy}
        >
          {action}
        </button>
      </div>
      {foot}
      <ErrorNotice failure={failure} />
    </form>
  );
}
