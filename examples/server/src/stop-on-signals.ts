const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * One Ctrl-C can arrive twice: from the terminal, which signals all its processes, and from the package manager, which
 * forwards it. A signal within this time does not count as a second one.
 */
const echoMs = 500;

export interface StopOptions {
  readonly source: { on(signal: keyof typeof signals, listener: () => void): unknown };
  readonly stop: () => Promise<void>;
  readonly exit: (code: number) => void;
  readonly now: () => number;
}

/** Stops gracefully at the first signal and exits with 0, or 1 if stopping fails. A second signal exits at once. */
export function stopOnSignals({ source, stop, exit, now }: StopOptions): void {
  let firstAt: number | undefined;
  for (const [signal, number] of Object.entries(signals) as [keyof typeof signals, number][]) {
    source.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = now();
        void stop().then(
          () => exit(0),
          () => exit(1),
        );
      } else if (now() - firstAt > echoMs) {
        exit(128 + number);
      }
    });
  }
}
