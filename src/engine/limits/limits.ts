// Owns semaphores: which keys a step must hold, and how many steps may hold each at once. Limits are read when a slot
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

/** What is needed to name the semaphores of a step. */
export interface LimitScope {
  readonly limits: Limits;
  readonly repository: string;
  readonly credentialOf: (role: string) => string | undefined;
}

/** Returns the semaphores that a step must hold and that have a limit. */
export function slotsOf(
  { limits: scope, facts }: { readonly limits: LimitScope; readonly facts: KindFacts },
  model: StepModel,
  concurrency?: Concurrency,
): readonly string[] {
  if (pipelineOf(facts, model.kind) !== 'execute') return [];
  const own = concurrency === undefined ? [] : [concurrency.key];
  if (Object.keys(scope.limits).length === 0) return own;
  return [...keysOf(scope, model).filter((key) => limitOf(scope, key) !== undefined), ...own];
}

function keysOf(scope: LimitScope, model: StepModel): string[] {
  const role = 'config' in model && 'role' in model.config ? model.config.role : undefined;
  const credential = role === undefined ? undefined : scope.credentialOf(role);
  return [
    'global',
    slotKey('repository', scope.repository),
    ...(role === undefined ? [] : [slotKey('role', role)]),
    ...(credential === undefined ? [] : [slotKey('credential', credential)]),
    ...model.slots.map((key) => slotKey('key', key)),
  ];
}

function slotKey(sort: 'repository' | 'role' | 'credential' | 'key', name: string): string {
  return `${sort}:${name}`;
}

function parseSlotKey(key: string): { readonly sort: string; readonly name: string } {
  const colon = key.indexOf(':');
  return { sort: key.slice(0, colon), name: key.slice(colon + 1) };
}

/** Returns the limit of the key, or undefined if it has none. */
export function limitOf({ limits }: LimitScope, key: string, concurrency?: Concurrency): number | undefined {
  if (key === concurrency?.key) return concurrency.max;
  if (key === 'global') return limits.global;
  const { sort, name } = parseSlotKey(key);
  switch (sort) {
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
