// Owns hiding inherited descriptors from the programs that we start: an open file or a socket of our shell or supervisor is
// not meant for them. Node closes low ones itself; this covers the rest, on Linux.

import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

let entries: readonly (number | 'ignore')[] | undefined;

/** The entries of a child's `stdio` from 3 on that replace inherited descriptors. */
export function closedDescriptors(): readonly (number | 'ignore')[] {
  // Node opens nothing that a child would inherit, so reading the list once is enough.
  entries ??= process.platform === 'linux' ? coverDescriptors(inheritable()) : [];
  return entries;
}

function coverDescriptors(descriptors: readonly number[]): (number | 'ignore')[] {
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
