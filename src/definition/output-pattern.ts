// Decides which file patterns a step may declare as outputs: those that stay inside the workspace and match quickly.

import { isAgentKind, type KindFacts } from './kind.ts';
import type { FileOutputModel, OutputModel, StepModel } from './model.ts';
import { patternCost } from './pattern.ts';

/** True for outputs that are files of the workspace. */
export function isFileOutput<Output extends OutputModel>(output: Output): output is Output & FileOutputModel {
  return output.type === 'file' || output.type === 'artifact';
}

/** Whether a step needs a baseline: it declares files or effects, or has agents, which must not change some files. */
export function comparesFiles(
  kinds: KindFacts['kinds'],
  { kind, outputs = [], contract }: Pick<StepModel, 'kind' | 'outputs' | 'contract'>,
): boolean {
  return (
    isAgentKind({ kinds }, kind) || contract !== undefined || outputs.some((output) => isFileOutput(output) || output.type === 'effect')
  );
}

/** Returns why a pattern is rejected, or undefined if it stays inside the workspace (F03) and matches quickly. */
export function patternRefusal(pattern: string): string | undefined {
  if (pattern.trim() === '' || pattern.includes('\0')) return 'it is empty';
  if (/^(?:[/\\]|[A-Za-z]:)/.test(pattern)) return 'it is absolute';
  return pattern.split(/[/\\{},]/).includes('..') ? 'it leads out of the workspace' : patternCost(pattern);
}
