// Owns the name of an owner of runs: the identity of its process, and which engine of that process it is.

import { formatIdentity, identityOf, livenessOf, parseIdentity } from './identity.ts';

let engines = 0;

/** A name for one more owner in this process. */
export function createOwner(): string {
  engines += 1;
  return `${formatIdentity(identityOf() ?? { host: 'unknown', boot: '', pid: process.pid, start: '' })}#${engines}`;
}

/** Whether an owner of runs is provably dead on this machine. */
export function isDead(owner: string): boolean {
  const identity = parseIdentity(owner.slice(0, owner.lastIndexOf('#')));
  return identity !== undefined && livenessOf(identity) === 'dead';
}
