import { formatCount } from "../ui/format.js";

interface PagerProps {
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly note: string;
  readonly first: boolean;
  readonly last: boolean;
  readonly onPage: (step: 1 | -1) => void;
}

export function Pager({ from, to, of, note, first, last, onPage }: PagerProps) {
  return (
    <div class="pager">
      <span class="muted small" role="status">
        {first && last
          ? `${formatCount(of)} ${of === 1 ? "device" : "devices"}`
          : `${formatCount(from)}–${formatCount(to)} of ${formatCount(of)}`}{" "}
        {note}
      </span>
      {(!first || !last) && (
        <div class="actions">
          <button type="button" class="button small" disabled={first} onClick={() => onPage(-1)}>
            Previous
          </button>
          <button type="button" class="button small" disabled={last} onClick={() => onPage(1)}>
            Next
          </button>
        </div>
      )}
    </div>
  );
}
