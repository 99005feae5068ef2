// Owns workflow files in the library: the text of one becomes a workflow that an engine runs.

import type { WorkflowYaml } from '../authoring/yaml/write/write.ts';
import { EngineError } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { CustomKind } from '../definition/custom-kind.ts';
import { describeWorkflow } from '../definition/plain-workflow.ts';
import { registryWith } from '../kinds/registry.ts';
import type { GateCheck } from '../steps/check.ts';
import type { AnyWorkflow } from './engine-options.ts';
import { compiledOf } from './workflow-source.ts';

/** The options for compiling a workflow file. */
export interface YamlOptions {
  /** Kinds of steps of the application: `type: deploy` in the file. */
  readonly kinds?: Readonly<Record<string, CustomKind>> | undefined;
  /** Checks of the application: `check: licences` in the file. */
  readonly checks?: Readonly<Record<string, GateCheck>> | undefined;
  /** How messages name the file; left out: `workflow.yaml`. */
  readonly file?: string | undefined;
}

/**
 * Compiles the text of a workflow file, which may name `kinds` and `checks` of the application. Throws
 * DEFINITION_INVALID with everything that is wrong and its place; the parser is loaded when this is first called.
 */
export async function workflowFromYaml(text: string, options: YamlOptions = {}): Promise<CompiledWorkflow> {
  const { file = 'workflow.yaml' } = options;
  const { checkYaml } = await import('../authoring/yaml/check/check.ts');
  const { compiled, errors } = checkYaml(file, text, registryWith(options));
  if (compiled !== undefined) return compiled;
  const lines = errors.map(({ line, column, message, hint }) => `${file}:${line}:${column}: ${message}; ${hint}`);
  const [first] = errors;
  throw new EngineError('DEFINITION_INVALID', lines.join('\n'), {
    ...(first === undefined ? {} : { position: { file, line: first.line, column: first.column } }),
    details: { problems: errors },
  });
}

/**
 * Writes a graph as the text of a workflow file, which reads back as the same definition; `differences` names what does
 * not. Throws USAGE for what a file cannot hold: a flow, or a step that is a function.
 */
export async function workflowToYaml(workflow: AnyWorkflow, options: Pick<YamlOptions, 'kinds' | 'checks'> = {}): Promise<WorkflowYaml> {
  const { writeYaml } = await import('../authoring/yaml/write/write.ts');
  return writeYaml(describeWorkflow(compiledOf(workflow)), registryWith(options));
}
