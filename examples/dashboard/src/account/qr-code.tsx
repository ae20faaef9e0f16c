import { useMemo } from "preact/hooks";
import { renderSVG } from "uqr";

/** Draws a QR code in the browser, so that its text stays there. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const source = useMemo(
    () => `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 4 }))}`,
    [text],
  );
  return <img class="qr" src={source} width="200" height="200" alt={label} />;
}
