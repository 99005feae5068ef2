// Owns what signals mean to a command that drives a run. The first asks: nothing new begins, what is under way may end.
// The second kills what is under way. Either way the run is given up and can be resumed.

import type { Engine } from '../api/engine.ts';

/** Signals while an engine is open. */
export interface Interrupt {
  readonly isStopping: boolean;
  /** Settles when the engine has stopped because of a signal; never without one. */
  readonly stopped: Promise<void>;
  /** Who tells the person what a signal has begun; the last one to ask does. */
  tell: (text: string) => void;
  /** Leaves signals to what they mean without us. */
  release(): void;
}

/** The exit code of a command that was interrupted. */
export const EXIT_INTERRUPTED = 130;

const PATIENCE_MS = 10_000;
/** Code of a step that does not end when it is told to must not keep the process. */
const LINGER_MS = 1000;

const caught = new WeakMap<Engine, Interrupt>();

/** Stops the engine when the user or the system asks for it, from the first call on. */
export function catchInterrupts(engine: Engine, tell: (text: string) => void): Interrupt {
  const known = caught.get(engine);
  if (known !== undefined) {
    known.tell = tell;
    return known;
  }
  const made = new SignalInterrupt(engine, tell);
  caught.set(engine, made);
  return made;
}

class SignalInterrupt implements Interrupt {
  readonly stopped: Promise<void>;
  tell: (text: string) => void;
  private readonly engine: Engine;
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;
  private settle!: (closing: Promise<void>) => void;

  constructor(engine: Engine, tell: (text: string) => void) {
    this.engine = engine;
    this.tell = tell;
    this.stopped = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.stopped.catch(() => undefined);
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  get isStopping(): boolean {
    return this.asked > 0;
  }

  release(): void {
    clearTimeout(this.timer);
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
  }

  private readonly onSignal = (signal: NodeJS.Signals): void => {
    this.asked += 1;
    if (this.asked === 1) {
      this.tell(signal === 'SIGINT' ? FIRST : `got ${signal}: stopping after the steps under way, which have 10 s`);
      if (signal !== 'SIGINT') this.timer = setTimeout(() => this.kill(), PATIENCE_MS);
      this.settle(this.engine.close());
    } else if (this.asked === 2) {
      this.tell('killing the steps under way');
      this.kill();
    }
  };

  private kill(): void {
    // The first close settles with this one: what it waits for is cut off.
    this.engine.close({ abort: true }).catch(() => undefined);
    this.stopped.finally(() => setTimeout(() => process.exit(EXIT_INTERRUPTED), LINGER_MS).unref()).catch(() => undefined);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FIRST = 'stopping after the steps under way; Ctrl-C again kills them';
