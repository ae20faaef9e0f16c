const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * The content of a record or an hour in its row: the values of a shape, or JSON text if `shape` is
 * null.
 */
export interface RowContent {
  readonly shape: number | null;
  readonly content: Uint8Array;
}

/**
 * Parses content that is JSON text.
 *
 * @example
 * const record = fromTextContent(row);
 */
export const fromTextContent = ({ content }: RowContent): unknown =>
  JSON.parse(decoder.decode(content));

/**
 * Returns a value as JSON text content.
 *
 * @example
 * insertRecord.run({ at, ...toTextContent(record) });
 */
export const toTextContent = (value: unknown): RowContent => ({
  shape: null,
  content: encoder.encode(JSON.stringify(value)),
});
