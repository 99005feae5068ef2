// Owns the signal handling of a command that drives a run. After the first, running steps finish; the second kills them. Either
// way the run is released and can be resumed.

import type { Engine } from '../api/engine.ts';

/** The state of signal handling while an engine is open. */
export interface Interrupt {
  readonly isStopping: boolean;
  /** Settles when a signal has stopped the engine; never without one. */
  readonly stopped: Promise<void>;
  /** Prints the effect of a signal; the last caller of `catchInterrupts` sets it. */
  print: (text: string) => void;
  /** Restores the default handling of signals. */
  release(): void;
}

/** The exit code of a command that was interrupted. */
export const EXIT_INTERRUPTED = 130;

/** How long running steps have after a signal that no person sent. */
const GRACE_MS = 10_000;
/** How long code that ignores the abort signal can keep the process alive. */
const LINGER_MS = 1000;

type Stoppable = Pick<Engine, 'close'>;

const interrupts = new WeakMap<Stoppable, Interrupt>();

/**
 * Stops the engine on a signal; further calls for the same engine only change where messages are printed. `isProgram`: a
 * program sends the signals, so that Ctrl-C has the time limit too.
 */
export function catchInterrupts(engine: Stoppable, print: (text: string) => void, { isProgram = false } = {}): Interrupt {
  const known = interrupts.get(engine);
  if (known !== undefined) {
    known.print = print;
    return known;
  }
  const created = new SignalInterrupt(engine, print, isProgram);
  interrupts.set(engine, created);
  return created;
}

class SignalInterrupt implements Interrupt {
  readonly stopped: Promise<void>;
  print: (text: string) => void;
  private readonly engine: Stoppable;
  private readonly isProgram: boolean;
  private signals = 0;
  private timer: NodeJS.Timeout | undefined;
  private settle!: (closing: Promise<void>) => void;

  constructor(engine: Stoppable, print: (text: string) => void, isProgram: boolean) {
    this.engine = engine;
    this.isProgram = isProgram;
    this.print = print;
    this.stopped = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.stopped.catch(() => undefined);
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  get isStopping(): boolean {
    return this.signals > 0;
  }

  release(): void {
    clearTimeout(this.timer);
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
  }

  private readonly onSignal = (signal: NodeJS.Signals): void => {
    this.signals += 1;
    if (this.signals === 1) {
      const isCtrlC = signal === 'SIGINT' && !this.isProgram;
      this.print(isCtrlC ? CTRL_C : `received ${signal}: stopping after the running steps, which have 10 s to finish`);
      if (!isCtrlC) this.timer = setTimeout(() => this.kill(), GRACE_MS);
      this.settle(this.engine.close());
    } else if (this.signals === 2) {
      this.print('killing the running steps');
      this.kill();
    }
  };

  private kill(): void {
    // This also settles the first close, which waits for the steps that are aborted now.
    this.engine.close({ abort: true }).catch(() => undefined);
    this.stopped.finally(() => setTimeout(() => process.exit(EXIT_INTERRUPTED), LINGER_MS).unref()).catch(() => undefined);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const CTRL_C = 'stopping after the running steps; press Ctrl-C again to kill them';
