// Owns what a step declares to produce: how it stands in the configuration, which patterns are refused, and how a worker
// is told of it.

import { isJsonObject, type Json } from '../../base/json.ts';

export { patternRefusal } from '../../definition/kinds/output-pattern.ts';

/** One thing that a step declares to produce. */
export interface OutputDeclaration {
  readonly name: string;
  readonly type: 'comment' | 'file' | 'artifact' | 'pr';
  /** file and artifact: which paths of the workspace. */
  readonly pattern: string;
  readonly required: boolean;
}

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
    `push the branch, do not open the pull request; answer with JSON that has {"outputs": {${JSON.stringify(name)}: {"title": …, "body": …, "head": "the branch"}}}`,
};
