const rules = new Intl.PluralRules("en");

/** The forms of a noun. Other languages than English have more forms than two. */
type Forms = Readonly<
  Partial<Record<Intl.LDMLPluralRule, string>> & Record<"one" | "other", string>
>;

/** Returns the form that a count needs: `plural(2, { one: "day", other: "days" })` is `days`. */
export const plural = (count: number, forms: Forms): string =>
  forms[rules.select(count)] ?? forms.other;

/** Returns a count with its noun: `5,150 devices`. */
export const counted = (count: number, forms: Forms): string =>
  `${count.toLocaleString()} ${plural(count, forms)}`;

/** Returns a count of devices: `1 device`, `5,150 devices`. */
export const countDevices = (count: number) => counted(count, { one: "device", other: "devices" });
