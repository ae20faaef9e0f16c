import type { BrowserContextOptions } from "playwright-core";

interface Variant {
  readonly name: string;
  readonly context: BrowserContextOptions;
}

const desktop = { width: 1280, height: 820 };
const phone = { width: 390, height: 844 };

export const variants: readonly Variant[] = [
  { name: "light", context: { viewport: desktop, colorScheme: "light", reducedMotion: "reduce" } },
  { name: "dark", context: { viewport: desktop, colorScheme: "dark", reducedMotion: "reduce" } },
  { name: "phone", context: { viewport: phone, colorScheme: "light", reducedMotion: "reduce" } },
];
