// Owns semaphores: which keys a step must hold, and how many steps may hold each at the same time. Limits are read when a slot
// is taken, so a configuration change also applies to running runs.

import { type KindFacts, pipelineOf } from '../../definition/kind.ts';
import type { Concurrency, StepModel } from '../../definition/model.ts';
import { ownEntry } from '../../steps/services.ts';

/** How many steps may run at the same time: in total, per repository, per role, per credential, and per custom key. */
export interface Limits {
  readonly global?: number | undefined;
  readonly repository?: number | undefined;
  readonly roles?: Readonly<Record<string, number>> | undefined;
  readonly credentials?: Readonly<Record<string, number>> | undefined;
  readonly keys?: Readonly<Record<string, number>> | undefined;
}

/** The limits, and the names that semaphores of a step are made of. */
export interface LimitScope {
  readonly limits: Limits;
  readonly repository: string;
  readonly credentialOf: (role: string) => string | undefined;
}

/** Returns the semaphores that a step must hold and that have a limit, as runs store them: `role:writer`. */
export function slotsOf(
  { limits: scope, facts }: { readonly limits: LimitScope; readonly facts: KindFacts },
  model: StepModel,
  concurrency?: Concurrency,
): readonly string[] {
  if (pipelineOf(facts, model.kind) !== 'execute') return [];
  const own = concurrency === undefined ? [] : [concurrency.key];
  if (Object.keys(scope.limits).length === 0) return own;
  return [...semaphoresOf(scope, model).flatMap(([key, limit]) => (limit === undefined ? [] : [key])), ...own];
}

type Semaphore = readonly [key: string, limit: number | undefined];

function semaphoresOf({ limits, repository, credentialOf }: LimitScope, model: StepModel): Semaphore[] {
  const role = 'config' in model && 'role' in model.config ? model.config.role : undefined;
  const credential = role === undefined ? undefined : credentialOf(role);
  const named = (sort: string, table: Limits['keys'], name: string): Semaphore => [`${sort}:${name}`, ownEntry(table, name)];
  return [
    ['global', limits.global],
    [`repository:${repository}`, limits.repository],
    ...(role === undefined ? [] : [named('role', limits.roles, role)]),
    ...(credential === undefined ? [] : [named('credential', limits.credentials, credential)]),
    ...model.slots.map((key) => named('key', limits.keys, key)),
  ];
}

/** Returns the current limit of a semaphore as a run stores it, or undefined if it has none. */
export function limitOf({ limits }: LimitScope, key: string, concurrency?: Concurrency): number | undefined {
  if (key === concurrency?.key) return concurrency.max;
  if (key === 'global') return limits.global;
  const colon = key.indexOf(':');
  const name = key.slice(colon + 1);
  switch (key.slice(0, colon)) {
    case 'repository':
      return limits.repository;
    case 'role':
      return ownEntry(limits.roles, name);
    case 'credential':
      return ownEntry(limits.credentials, name);
    default:
      return ownEntry(limits.keys, name);
  }
}
