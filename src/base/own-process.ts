// Owns whether this process was started to run Pawl, so that Pawl says what may be loaded into it. A program that uses
// the library, and a test that runs a command inside itself, load what they like.

/** The bundles of the command line are several files with a copy of this module each, so the mark is not kept here. */
const MARK = Symbol.for('pawl.own-process');

/** Marks this process as one that was started to run Pawl. */
export function claimProcess(): void {
  Reflect.set(globalThis, MARK, true);
}

/** Whether this process was started to run Pawl. */
export function isOwnProcess(): boolean {
  return Reflect.has(globalThis, MARK);
}
