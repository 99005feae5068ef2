// Our own bugs. A failed invariant is never the user's doing and is never caught to carry on.

/** Throws when something that must hold by construction does not. The message cites the invariant. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}

/** The default of an exhaustive switch: a new case fails to compile here. */
export function unreachable(value: never): never {
  throw new Error(`invariant: unreachable value ${JSON.stringify(value)}`);
}
