/** The Barcode Detection API (https://wicg.github.io/shape-detection-api/), which only some browsers have. */
export interface BarcodeDetector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}
type DetectorClass = new (options: { formats: readonly string[] }) => BarcodeDetector;

export const findDetector = (): DetectorClass | undefined =>
  (globalThis as unknown as { readonly BarcodeDetector?: DetectorClass }).BarcodeDetector;

/** Whether this browser can scan a QR code. It gives access to the camera only on HTTPS and localhost. */
export const canScan = (): boolean =>
  findDetector() !== undefined &&
  (navigator as { readonly mediaDevices?: Partial<MediaDevices> }).mediaDevices?.getUserMedia !==
    undefined;
