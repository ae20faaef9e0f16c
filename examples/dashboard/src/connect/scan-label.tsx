import { useEffect, useRef, useState } from "preact/hooks";
import * as connectText from "../text/connect.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorNotice } from "../ui/parts.js";
import { type BarcodeDetector, findDetector } from "./can-scan.js";
import { type Label, readLabel } from "./read-label.js";

const everyMs = 250;

interface ScanLabelProps {
  readonly onLabel: (label: Label) => void;
  readonly onCancel: () => void;
}

/** Shows the camera's picture until it contains the QR code of a label. */
export function ScanLabel({ onLabel, onCancel }: ScanLabelProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<string | undefined>();
  useEffect(() => {
    const Detector = findDetector();
    if (Detector === undefined) return;
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const look = async (detector: BarcodeDetector) => {
      const codes = video.current ? await detector.detect(video.current).catch(() => []) : [];
      if (!isOpen) return;
      const label = codes.map(({ rawValue }) => readLabel(rawValue)).find((one) => one);
      if (label) onLabel(label);
      else timer = setTimeout(() => void look(detector), everyMs);
    };
    navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).then(
      (opened) => {
        stream = opened;
        if (!isOpen || !video.current) return stop();
        video.current.srcObject = opened;
        void look(new Detector({ formats: ["qr_code"] }));
      },
      () => setProblem(connectText.cameraUnusable),
    );
    const stop = () => {
      isOpen = false;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    return stop;
  }, []);
  return (
    <Dialog title={connectText.scanTheLabel} onClose={onCancel}>
      <ErrorNotice failure={problem === undefined ? undefined : { message: problem }} />
      <video
        ref={video}
        class="camera"
        autoPlay
        playsInline
        muted
        aria-label={connectText.camera}
      />
      <div>
        <button type="button" class="button" onClick={onCancel}>
          {connectText.cancel}
        </button>
      </div>
    </Dialog>
  );
}
