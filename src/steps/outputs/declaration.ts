// Owns the outputs that a step declares, and the text about them for a worker.

import { FORGE_OUTPUTS } from '../../definition/forge/forge-write.ts';
import type { ForgeOutputModel, OutputModel, StepModel } from '../../definition/model.ts';

/** One declared output of a step. */
export type OutputDeclaration = OutputModel & {
  /** Set if the output follows from the step's action and was not declared. */
  readonly implied?: true;
};

/** The action of an agent that opens the pull request of the run, even if its stage does not declare that output. */
const OPENS_PR = 'open_pr';

/** All outputs of a step: the declared ones, and the pull request if the step's action opens one. */
export function outputsOf(step: StepModel): readonly OutputDeclaration[] {
  const { outputs = [] } = step;
  const opens = step.kind === 'agent' && step.config.action === OPENS_PR && !outputs.some(({ type }) => type === 'pr');
  return opens ? [...outputs, { name: 'pr_number', type: 'pr', required: false, implied: true }] : outputs;
}

/** The lines about outputs in the instructions: the name, and how to deliver it. */
export function outputLines(declared: readonly OutputDeclaration[]): string[] {
  const lines = declared.map((output) => `- ${output.name}${output.required ? ' (required)' : ''}: ${handover(output)}`);
  return declared.some(isAtForge) ? [...lines, CLEANED] : lines;
}

const CLEANED =
  '- Text for the forge is cleaned before it is written: mentions, closing keywords, commands, HTML, images and links to other sites become plain text. Each run may write a limited number of texts.';

/** Whether the engine creates an output at the forge. */
export function isAtForge(output: OutputDeclaration): output is OutputDeclaration & ForgeOutputModel {
  return FORGE_OUTPUTS.some((type) => type === output.type);
}

function handover(output: OutputDeclaration): string {
  switch (output.type) {
    case 'file':
      return `add or change files that match ${output.pattern}`;
    case 'artifact':
      return `add or change one file that matches ${output.pattern}`;
    case 'effect':
      return 'the engine looks for it before and after the work';
    case 'label':
      return `do not set them; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: {"add": […], "remove": […]}}}, with labels from: ${(output.labels ?? []).join(', ')}`;
    case 'issue':
      return `do not open it; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: {"title": …, "body": …}}}`;
    case 'review':
      return `do not submit it; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: {"body": …, "comments": [{"path": …, "line": …, "body": …}]}}}; lines are those of the changed files`;
    case 'discussion':
      return `do not post it; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: "the text of the reply"}}`;
    case 'comment':
      return `do not post it; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: "the text of the comment"}}`;
    case 'pr':
      return `do not push, and do not open the pull request: the engine does both; answer with JSON that has {"outputs": {${JSON.stringify(output.name)}: {"title": …, "body": …}}}`;
  }
}
