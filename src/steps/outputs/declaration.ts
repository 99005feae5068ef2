// Owns what a step declares to produce: how it stands in the configuration, which patterns are refused, and how a worker
// is told of it.

import { isJsonObject, type Json } from '../../base/json.ts';
import type { StepModel } from '../../definition/model.ts';

export { patternRefusal } from '../../definition/output-pattern.ts';

/** One thing that a step declares to produce. */
export interface OutputDeclaration {
  readonly name: string;
  readonly type: 'comment' | 'file' | 'artifact' | 'pr';
  /** file and artifact: which paths of the workspace. */
  readonly pattern: string;
  readonly required: boolean;
  /** What the step does says that it produces this; no author declared it. */
  readonly implied?: true;
}

/** The action of an agent that opens the pull request of the run, whether or not its stage declares that as an output. */
const OPENS_PR = 'open_pr';

const KINDS: readonly OutputDeclaration['type'][] = ['comment', 'file', 'artifact', 'pr'];

/** The declared outputs of a step's configuration, in order. */
export function declaredOutputs(outputs: Json | undefined): readonly OutputDeclaration[] {
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(isJsonObject).flatMap(({ name, type, pattern, required }) => {
    const known = KINDS.find((kind) => kind === type);
    if (known === undefined || typeof name !== 'string') return [];
    return [{ name, type: known, pattern: typeof pattern === 'string' ? pattern : '', required: required === true }];
  });
}

/** All that a step is to produce: what it declares, and the pull request where opening it is what the step does. */
export function outputsOf({ kind, config }: Pick<StepModel, 'kind' | 'config'>): readonly OutputDeclaration[] {
  const declared = declaredOutputs(config.outputs);
  const opens = kind === 'agent' && config.action === OPENS_PR && !declared.some(({ type }) => type === 'pr');
  return opens ? [...declared, { name: 'pr_number', type: 'pr', pattern: '', required: false, implied: true }] : declared;
}

/** True for outputs that are found among the files of the workspace. */
export function isFileOutput({ type }: OutputDeclaration): boolean {
  return type === 'file' || type === 'artifact';
}

/** What a worker is told: each output, and how it is handed over. */
export function outputInstructions(declared: readonly OutputDeclaration[]): string {
  const lines = declared.map((output) => `- ${output.name}${output.required ? ' (required)' : ''}: ${HANDOVER[output.type](output)}`);
  return ['Outputs of this step. They are looked at before it counts as done:', ...lines].join('\n');
}

const HANDOVER: Readonly<Record<OutputDeclaration['type'], (output: OutputDeclaration) => string>> = {
  file: ({ pattern }) => `add or change files that match ${pattern}`,
  artifact: ({ pattern }) => `add or change one file that matches ${pattern}`,
  comment: ({ name }) => `do not post it; answer with JSON that has {"outputs": {${JSON.stringify(name)}: "the text of the comment"}}`,
  pr: ({ name }) =>
    `do not push, and do not open the pull request: the engine does both; answer with JSON that has {"outputs": {${JSON.stringify(name)}: {"title": …, "body": …}}}`,
};
