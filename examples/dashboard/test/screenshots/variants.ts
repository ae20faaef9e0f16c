import type { BrowserContextOptions } from "playwright-core";

interface Variant {
  readonly name: string;
  readonly context: BrowserContextOptions;
}

const widths = { phone: 390, tablet: 820, desktop: 1440 };

/** Every width, in light and dark. */
export const variants: readonly Variant[] = Object.entries(widths).flatMap(([name, width]) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    name: `${name}-${colorScheme}`,
    context: { viewport: { width, height: 844 }, colorScheme, reducedMotion: "reduce" as const },
  })),
);
