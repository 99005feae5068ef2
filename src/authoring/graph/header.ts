// Reads the fields of a workflow other than its steps, for graphs and flows.

import { EngineError } from '../../base/error.ts';
import { breakersOf } from '../../definition/breakers.ts';
import { type WriteLimits, writesFault } from '../../definition/forge/forge-write.ts';
import type { ArgModel, Definition } from '../../definition/model.ts';
import { type ArgSpecs, arg } from '../../definition/param/arg.ts';
import type { WorkflowFields } from '../spec/part.ts';
import { readReactions, unknownInReactions } from '../spec/reaction.ts';
import { defined, type Reading } from './reading.ts';

/** The default limit of transitions that lead back. */
export const DEFAULT_MAX_ITERATIONS = 10;

/** The fields of a workflow other than its steps. */
type Header = WorkflowFields<ArgSpecs, object> & { readonly name: string };

/** A definition without its steps; a graph adds them, a flow has none. */
export function readHeader(spec: Header, reading: Reading): Omit<Definition, 'form' | 'entry' | 'steps'> {
  const { name, title, description, version, params, limits, data } = spec;
  for (const message of unknownInReactions(spec.onEvents))
    reading.problems.add({ code: 'FIELD_UNKNOWN', message: `on_events: ${message}`, hint: 'remove it, or fix the spelling' });
  return defined<Omit<Definition, 'form' | 'entry' | 'steps'>>({
    name,
    title: title ?? name,
    description: description ?? '',
    version,
    params: readParams(params ?? {}, reading),
    limits: { maxIterations: limits?.maxIterations ?? DEFAULT_MAX_ITERATIONS },
    concurrency: spec.concurrency,
    budget: spec.budget,
    protected: spec.protected === undefined ? undefined : [...spec.protected],
    databases: spec.databases,
    permissions: spec.permissions,
    writes: readWrites(spec.writes, reading),
    staged: spec.staged === true ? true : undefined,
    snapshot: spec.snapshot,
    facts: spec.facts,
    onError: spec.onError,
    onEvents: readReactions(spec.onEvents),
    breakers: breakersOf(spec.circuitBreakers),
    context: data === undefined ? undefined : Object.entries(data).map(([key, value]) => ({ name: key, value })),
  });
}

function readWrites(writes: WriteLimits | undefined, reading: Reading): WriteLimits | undefined {
  const fault = writes === undefined ? undefined : writesFault(writes);
  if (fault !== undefined)
    reading.problems.add({ code: 'FIELD_INVALID', message: `\`writes\` ${fault}`, hint: 'write it such as { comments: 3 }' });
  return writes;
}

function readParams(params: Readonly<Record<string, ArgModel>>, reading: Reading): Record<string, ArgModel> {
  const read: [string, ArgModel][] = [];
  for (const [name, model] of Object.entries(params)) {
    try {
      read.push([name, arg(model)]);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      reading.problems.add({
        param: name,
        code: 'ARG_INVALID',
        message: `parameter "${name}": ${error.message}`,
        hint: 'change the parameter under `params`',
      });
    }
  }
  return Object.fromEntries(read);
}
