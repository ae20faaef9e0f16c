/** A secret, and what it is, for the report. */
export interface Secret {
  readonly what: string;
  readonly value: string;
}

/** Where a secret may have got to. */
export interface Place {
  readonly what: string;
  readonly bytes: Buffer;
}

/** Shorter than this, and something may be found by accident. */
const leastLength = 8;

/** Base64 of bytes at any place within others: what of it does not depend on what stands around. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const from = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor((padded.length * 4) / 3);
    const text = padded.toString("base64").slice(from, whole - 1);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** How a secret may be written. */
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
  const long = [...new Set(texts)].filter((text) => text.length >= leastLength);
  return [...long.map((text) => Buffer.from(text)), Buffer.from(value, "utf16le")];
}

/** Which secrets stand where. */
export function findSecrets(secrets: readonly Secret[], places: readonly Place[]): string[] {
  return secrets
    .filter(({ value }) => value.length >= leastLength)
    .flatMap(({ what, value }) => {
      const forms = formsOf(value);
      return places.flatMap((place) => {
        const form = forms.find((bytes) => place.bytes.includes(bytes));
        if (form === undefined) return [];
        const at = place.bytes.indexOf(form);
        const around = place.bytes.subarray(Math.max(0, at - 60), at).toString("latin1");
        return `${what} stands in ${place.what}, after ${JSON.stringify(around)}`;
      });
    });
}
