import type { ComponentChildren } from "preact";

interface ScrollableProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A scrollable region that the keyboard can reach (WCAG 2.1.1). */
export const Scrollable = ({ label, class: name, children }: ScrollableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls this region.
  <section class={name} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
