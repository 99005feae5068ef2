// Owns the names in a run's data that are reserved for the engine: they begin with `$`, which no author can write.

const SIGN = '$';

/** Returns a name as the engine writes it. */
export function reservedName(name: string): string {
  return `${SIGN}${name}`;
}

/** Whether a name is reserved for the engine. */
export function isReservedName(name: string): boolean {
  return name.startsWith(SIGN);
}
