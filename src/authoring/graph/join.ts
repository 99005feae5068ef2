// Reads a join: `all`, `any`, a number, or `2-of-3`, whose second number must be the number of branches.

import type { JoinModel, ParallelWork } from '../../definition/model.ts';
import { defined, type StepReading } from './reading.ts';
import type { GroupSpec, JoinSpec } from './spec.ts';

const COUNTED = /^(\d+)-of-(\d+)$/;

/** The join as data; `size` is the number of branches, if it is known before the run. */
function readJoin(join: JoinSpec, step: StepReading, size: number | undefined): JoinModel {
  if (join === 'all' || join === 'any') return { rule: join };
  if (typeof join === 'number') return { rule: 'count', n: join };
  if (typeof join === 'object' && join !== null) return { rule: 'count', n: join.n };
  const [, n, of] = COUNTED.exec(String(join)) ?? [];
  if (n === undefined) {
    step.fault('JOIN_INVALID', `\`join\` must be "all", "any", a number or N-of-M, not ${JSON.stringify(join)}`, 'write such as "2-of-3"');
    return { rule: 'all' };
  }
  if (size === undefined)
    step.fault('JOIN_INVALID', `\`join\` must not be "${join}": the number of items is not known before the run`, `write { n: ${n} }`);
  else if (Number(of) !== size)
    step.fault('JOIN_INVALID', `\`join\` is "${join}", but there are ${size} branches`, `write "${n}-of-${size}"`);
  return { rule: 'count', n: Number(n) };
}

/** How the members of a group are joined and how many of them work at once. */
export function readGroup(group: Pick<GroupSpec, 'join' | 'concurrency'>, step: StepReading, size: number | undefined) {
  return defined<Pick<ParallelWork, 'join' | 'concurrency'>>({
    join: readJoin(group.join ?? 'all', step, size),
    concurrency: group.concurrency,
  });
}
