// Tells whether this process was started to run Pawl, so that Pawl restricts which modules it loads. A program that
// uses the library, or a test that runs a command inside itself, is not restricted.

/** The mark is global because each bundle of the command line has its own copy of this module. */
const MARK = Symbol.for('pawl.own-process');

/** Marks this process as one that was started to run Pawl. */
export function claimProcess(): void {
  Reflect.set(globalThis, MARK, true);
}

/** Whether this process was started to run Pawl. */
export function isOwnProcess(): boolean {
  return Reflect.has(globalThis, MARK);
}
