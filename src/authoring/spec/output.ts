// Owns how the outputs of a step are read, in graphs and in flows: their data, the functions that find effects, and their
// faults.

import { omitUndefined } from '../../base/fields.ts';
import { unknownFields } from '../../base/suggest.ts';
import type { StepCode } from '../../definition/code.ts';
import { FORGE_OUTPUTS, forgeOutputFault } from '../../definition/forge/forge-write.ts';
import type { OutputModel } from '../../definition/model.ts';
import { patternRefusal } from '../../definition/output-pattern.ts';
import type { OutputSpec } from './part.ts';

const TYPES = ['file', 'artifact', ...FORGE_OUTPUTS, 'effect'];
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  effect: ['find'],
  file: ['pattern'],
  artifact: ['pattern'],
  comment: ['target'],
  label: ['target', 'labels'],
  issue: ['labels'],
};

/** The outputs of a step as data, the functions of its effects by name, and what is wrong. */
export function readOutputs(specs: readonly OutputSpec<never>[]): {
  readonly models: readonly OutputModel[];
  readonly finds: StepCode['finds'];
  readonly faults: readonly string[];
} {
  const names = specs.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `two outputs are called "${name}"`,
  );
  const finds = specs.flatMap((spec) => (spec.type === 'effect' ? [[spec.name, spec.find] as const] : []));
  return {
    models: specs.map(modelOf),
    finds: finds.length === 0 ? undefined : Object.fromEntries(finds),
    faults: [...specs.flatMap(faultsOf), ...twice],
  };
}

function modelOf(spec: OutputSpec<never>): OutputModel {
  const { name, required = false } = spec;
  if ('pattern' in spec) return { name, type: spec.type, pattern: spec.pattern, required };
  if (spec.type === 'effect') return { name, type: spec.type, required };
  const { type, target, labels } = spec;
  return { name, type, required, ...omitUndefined({ target, labels: labels && [...labels] }) };
}

function faultsOf(spec: OutputSpec<never>): string[] {
  const { name, type, pattern, find } = spec as { readonly [Field in 'name' | 'type' | 'pattern' | 'find']?: unknown };
  if (typeof name !== 'string' || name.trim() === '') return ['an output has no name'];
  const what = `its output "${name}"`;
  if (!TYPES.includes(String(type))) return [`${what} has type ${JSON.stringify(type)}; write one of ${TYPES.join(', ')}`];
  const own = OWN_FIELDS[String(type)] ?? [];
  const unknown = unknownFields(spec, ['name', 'type', 'required', ...own]).map((text) => `${what}: ${text}`);
  if (type === 'effect' && typeof find !== 'function') return [...unknown, `${what} has no function \`find\``];
  const wish = forgeOutputFault(spec as { readonly type: string });
  if (wish !== undefined) return [...unknown, `${what} ${wish}`];
  const refusal = own[0] !== 'pattern' ? undefined : typeof pattern === 'string' ? patternRefusal(pattern) : 'it is not given';
  return refusal === undefined ? unknown : [...unknown, `the pattern of ${what.slice(4)} cannot be used: ${refusal}`];
}
