/** The description inside an ESP-IDF application (`esp_app_desc_t`). */
export interface AppDescription {
  readonly version: string;
  readonly project: string;
}

const imageMagic = 0xe9;
/** The description follows the image header (24 bytes) and the first segment header (8 bytes). */
const descriptionAt = 32;
const descriptionMagic = 0xabcd5432;
const textBytes = 32;

function readText(bytes: Uint8Array, at: number): string {
  const field = bytes.subarray(at, at + textBytes);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** Reads the description from the first bytes of an image. Null if it is not an ESP-IDF application. */
export function readAppDescription(image: Uint8Array): AppDescription | null {
  if (image[0] !== imageMagic || image.length < descriptionAt + 80) return null;
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  if (view.getUint32(descriptionAt, true) !== descriptionMagic) return null;
  return {
    version: readText(image, descriptionAt + 16),
    project: readText(image, descriptionAt + 16 + textBytes),
  };
}
