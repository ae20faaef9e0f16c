import { afterEach, expect, test, vi } from "vitest";
import { repeatWhileVisible } from "./repeat-while-visible.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a hidden page asks for nothing, and asks at once when it is visible again", () => {
  vi.useFakeTimers();
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  const show = (state: "visible" | "hidden") => {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  const act = vi.fn();
  const stop = repeatWhileVisible(act, 1_000);
  vi.advanceTimersByTime(2_000);
  expect(act).toHaveBeenCalledTimes(2);
  show("hidden");
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledTimes(2);
  show("visible");
  expect(act).toHaveBeenCalledTimes(3);
  stop();
  show("visible");
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledTimes(3);
});
