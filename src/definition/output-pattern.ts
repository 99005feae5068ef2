// Owns which patterns of files a step may declare as its outputs: those that stay inside of the workspace.

import type { FileOutputModel, OutputModel, StepModel } from './model.ts';

/** True for outputs that are found among the files of the workspace. */
export function isFileOutput<Output extends OutputModel>(output: Output): output is Output & FileOutputModel {
  return output.type === 'file' || output.type === 'artifact';
}

/** Whether what was there before a step is compared with what is there after it: declared files, and what agents may not touch. */
export function comparesFiles({ kind, outputs = [] }: Pick<StepModel, 'kind' | 'outputs'>): boolean {
  return kind === 'agent' || kind === 'generate' || outputs.some(isFileOutput);
}

/** Why a pattern is refused; undefined for one that stays inside of the workspace (F03). */
export function patternRefusal(pattern: string): string | undefined {
  if (pattern.trim() === '' || pattern.includes('\0')) return 'it is empty';
  if (/^(?:[/\\]|[A-Za-z]:)/.test(pattern)) return 'it is absolute';
  return pattern.split(/[/\\{},]/).includes('..') ? 'it leads out of the workspace' : undefined;
}
