import type { ComponentChildren } from "preact";
import { Field } from "../ui/parts.js";

interface AccountFieldProps {
  readonly label: string;
  /** Default: the id. */
  readonly name?: string;
  readonly id?: string;
  readonly hint?: ComponentChildren;
  readonly focused?: boolean;
}

interface EmailFieldProps extends AccountFieldProps {
  readonly defaultValue?: string;
}

export const EmailField = ({ id = "email", ...rest }: EmailFieldProps) => (
  <Field id={id} name={id} type="email" autocomplete="email" required {...rest} />
);

/** Asks for the password of an existing account. */
export const PasswordField = ({ id = "password", ...rest }: AccountFieldProps) => (
  <Field id={id} name={id} type="password" autocomplete="current-password" required {...rest} />
);

/** Asks for a password that the user chooses. The server has the same bounds. */
export const NewPasswordField = ({ id = "password", ...rest }: AccountFieldProps) => (
  <Field
    id={id}
    name={id}
    type="password"
    autocomplete="new-password"
    minLength={10}
    maxLength={128}
    required
    {...rest}
  />
);
