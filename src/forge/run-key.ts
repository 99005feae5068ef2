// Owns the keys of the actions of runs at a forge: each begins with the id of the run, so that an event is attributed to the run whose
// action caused it (FT5, FT6), and the actions of a run can be listed.

/** The key of an action of a run. The parts after the id of the run tell its actions apart. */
export function runKey(run: string, ...parts: readonly (string | number)[]): string {
  return [run, ...parts].join('/');
}

/** The run whose action has a key; the caller checks that there is such a run, because other programs write keys, too. */
export function runOfKey(key: string): string {
  const end = key.indexOf('/');
  return end === -1 ? key : key.slice(0, end);
}
