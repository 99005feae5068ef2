// Owns keeping descriptors that we inherited from whoever started us away from the programs we start: an open file or
// a socket of a shell or a supervisor is not theirs. Node closes low ones itself; this is for the rest, on Linux.

import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

let shield: readonly (number | 'ignore')[] | undefined;

/** What a child gets in place of inherited descriptors: the entries of its `stdio` from 3 on. */
export function inheritedShield(): readonly (number | 'ignore')[] {
  // Node opens nothing that a child would inherit, so what was there first is all.
  shield ??= process.platform === 'linux' ? shieldOver(inheritable()) : [];
  return shield;
}

function shieldOver(descriptors: readonly number[]): (number | 'ignore')[] {
  if (descriptors.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...descriptors) - 2 }, (_, index) => (descriptors.includes(index + 3) ? nothing : 'ignore'));
}

function inheritable(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
  } catch {
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the descriptor of the listing itself.
    return false;
  }
}
