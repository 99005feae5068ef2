// Owns the names that the engine keeps for itself in a run's data: they begin with `$`, which no author can write.

const SIGN = '$';

/** The engine's own name for something. */
export function ownName(name: string): string {
  return `${SIGN}${name}`;
}

/** Whether a name is one of the engine's own. */
export function isOwnName(name: string): boolean {
  return name.startsWith(SIGN);
}
