import type { ComponentChildren } from "preact";

interface ScrollableProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** What scrolls by itself must be reachable by keyboard (WCAG 2.1.1). */
export const Scrollable = ({ label, class: name, children }: ScrollableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
  <section class={name} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
