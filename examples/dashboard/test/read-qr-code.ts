import jsQR from "jsqr";
import type { Locator } from "playwright-core";

/** Reads the QR code in a screenshot of a part of the page. Null if there is none. */
export async function readQrCode(part: Locator): Promise<string | null> {
  const picture = (await part.screenshot()).toString("base64");
  const { data, width, height } = await part.page().evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    return { data: [...pixels], width: image.width, height: image.height };
  }, picture);
  return jsQR.default(Uint8ClampedArray.from(data), width, height)?.data ?? null;
}
