// Owns which patterns of files a step may declare as its outputs: those that stay inside of the workspace.

import { isJsonObject } from '../base/json.ts';
import type { StepModel } from './model.ts';

/** Whether what was there before a step is compared with what is there after it: declared files, and what agents may not touch. */
export function comparesFiles({ kind, config }: Pick<StepModel, 'kind' | 'config'>): boolean {
  if (kind === 'agent' || kind === 'generate') return true;
  const { outputs } = config;
  return Array.isArray(outputs) && outputs.some((output) => isJsonObject(output) && (output.type === 'file' || output.type === 'artifact'));
}

/** Why a pattern is refused; undefined for one that stays inside of the workspace (F03). */
export function patternRefusal(pattern: string): string | undefined {
  if (pattern.trim() === '' || pattern.includes('\0')) return 'it is empty';
  if (/^(?:[/\\]|[A-Za-z]:)/.test(pattern)) return 'it is absolute';
  return pattern.split(/[/\\{},]/).includes('..') ? 'it leads out of the workspace' : undefined;
}
