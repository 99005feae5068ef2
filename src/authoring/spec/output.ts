// Reads the outputs of a step, in graphs and in flows: their data, the functions that find effects, and their faults.

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

/** A fault of an output, and what to do about it. */
interface OutputFault {
  readonly message: string;
  readonly hint: string;
}

/** The outputs of a step as data, the functions of its effects by name, and the faults. */
export function readOutputs(specs: readonly OutputSpec<never>[]): {
  readonly models: readonly OutputModel[];
  readonly finds: StepCode['finds'];
  readonly faults: readonly OutputFault[];
} {
  const names = specs.map(({ name }) => name);
  const duplicates = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((name) => ({
    message: `two outputs are called "${name}"`,
    hint: 'rename one of them',
  }));
  const finds = specs.flatMap((spec) => (spec.type === 'effect' ? [[spec.name, spec.find] as const] : []));
  return {
    models: specs.map(modelOf),
    finds: finds.length === 0 ? undefined : Object.fromEntries(finds),
    faults: [...specs.flatMap(faultsOf), ...duplicates],
  };
}

function modelOf(spec: OutputSpec<never>): OutputModel {
  const { name, required = false } = spec;
  if ('pattern' in spec) return { name, type: spec.type, pattern: spec.pattern, required };
  if (spec.type === 'effect') return { name, type: spec.type, required };
  const { type, target, labels } = spec;
  return { name, type, required, ...omitUndefined({ target, labels: labels && [...labels] }) };
}

function faultsOf(spec: OutputSpec<never>): OutputFault[] {
  const { name, type, pattern, find } = spec as { readonly [Field in 'name' | 'type' | 'pattern' | 'find']?: unknown };
  if (typeof name !== 'string' || name.trim() === '')
    return [{ message: 'an output must have a name', hint: 'write such as name: "plan"' }];
  const subject = `the output "${name}"`;
  if (!TYPES.includes(String(type)))
    return [
      { message: `${subject} must have one of the types ${TYPES.join(', ')}, not ${JSON.stringify(type)}`, hint: 'write type: "file"' },
    ];
  const own = OWN_FIELDS[String(type)] ?? [];
  const unknown = unknownFields(spec, ['name', 'type', 'required', ...own]).map((text) => ({
    message: `${subject}: ${text}`,
    hint: 'remove it, or fix the spelling',
  }));
  if (type === 'effect' && typeof find !== 'function')
    return [...unknown, { message: `${subject} must have a function \`find\``, hint: 'write one that returns the effect, or undefined' }];
  const forgeFault = forgeOutputFault(spec as { readonly type: string });
  if (forgeFault !== undefined) return [...unknown, { message: `${subject} ${forgeFault}`, hint: 'change the fields of the output' }];
  const refusal = own[0] !== 'pattern' ? undefined : typeof pattern === 'string' ? patternRefusal(pattern) : '`pattern` is missing';
  if (refusal === undefined) return unknown;
  return [
    ...unknown,
    { message: `the pattern of ${subject} cannot be used: ${refusal}`, hint: 'write one inside the workspace, such as src/**' },
  ];
}
