import { useState } from "preact/hooks";
import type { Zoom } from "../series/range.js";
import * as chartsText from "../text/charts.js";

const pad = (value: number) => String(value).padStart(2, "0");

/** Formats epoch seconds for an input of local date and time. */
function toInput(seconds: number): string {
  const at = new Date(seconds * 1000);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

interface OwnRangeProps {
  /** Changes when another range is shown. Until then, what the user enters stays. */
  readonly view: string;
  /** Seconds. */
  readonly from: number;
  /** Seconds. */
  readonly to: number;
  readonly onChoose: (zoom: Zoom) => void;
}

/** Lets the user enter the range of the charts. */
export function OwnRange({ view, from, to, onChoose }: OwnRangeProps) {
  const [wrong, setWrong] = useState(false);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const seconds = (name: string) => Math.floor(Date.parse(String(form.get(name))) / 1000);
    const zoom = { from: seconds("from"), to: seconds("to") };
    setWrong(!(zoom.from < zoom.to));
    if (zoom.from < zoom.to) onChoose(zoom);
  };
  return (
    <details class="small own-range">
      <summary>{chartsText.ownRange}</summary>
      <form key={view} onSubmit={onSubmit}>
        <label>
          {chartsText.from}
          <input
            class="input"
            type="datetime-local"
            name="from"
            defaultValue={toInput(from)}
            required
          />
        </label>
        <label>
          {chartsText.to}
          <input
            class="input"
            type="datetime-local"
            name="to"
            defaultValue={toInput(to)}
            required
          />
        </label>
        <button type="submit" class="button small">
          {chartsText.show}
        </button>
        {wrong && <p role="alert">{chartsText.startAfterEnd}</p>}
      </form>
    </details>
  );
}
