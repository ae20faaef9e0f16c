/** A secret with its description for the report. */
export interface Secret {
  readonly what: string;
  readonly value: string;
}

/** A place that must not contain secrets. */
export interface Place {
  readonly what: string;
  readonly bytes: Buffer;
}

/** A shorter text could occur by accident. */
const minLength = 8;

/**
 * Returns the base64 of bytes inside longer data, for each of the three alignments, without the characters
 * that depend on the neighbouring bytes.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const from = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor((padded.length * 4) / 3);
    const text = padded.toString("base64").slice(from, whole - 1);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Returns the encodings in which a secret may occur. */
function formsOf(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const texts = [
    value,
    hex,
    hex.toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
  ];
  const long = [...new Set(texts)].filter((text) => text.length >= minLength);
  return [...long.map((text) => Buffer.from(text)), Buffer.from(value, "utf16le")];
}

/** Returns which secrets occur in which places. */
export function findSecrets(secrets: readonly Secret[], places: readonly Place[]): string[] {
  return secrets
    .filter(({ value }) => value.length >= minLength)
    .flatMap(({ what, value }) => {
      const forms = formsOf(value);
      return places.flatMap((place) => {
        const form = forms.find((bytes) => place.bytes.includes(bytes));
        if (form === undefined) return [];
        const at = place.bytes.indexOf(form);
        const around = place.bytes.subarray(Math.max(0, at - 60), at).toString("latin1");
        return `${what} is in ${place.what}, after ${JSON.stringify(around)}`;
      });
    });
}
