// Owns checks for our own bugs. A failed invariant is never the user's fault and is never caught to continue.

/** Throws if something that must hold by construction does not. The message cites the invariant; `about` says what broke it. */
export function invariant(condition: unknown, message: string, about?: string): asserts condition {
  if (!condition) throw new Error(about === undefined ? `invariant: ${message}` : `invariant: ${message}: ${about}`);
}

/** The default of an exhaustive switch: a new case fails to compile here. */
export function unreachable(value: never): never {
  throw new Error(`invariant: unreachable value ${JSON.stringify(value)}`);
}
