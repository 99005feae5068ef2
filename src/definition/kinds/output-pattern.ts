// Owns which patterns of files a step may declare as its outputs: those that stay inside of the workspace.

import { isJsonObject } from '../../base/json.ts';
import type { StepModel } from '../model.ts';

/** Whether a step declares files as outputs, which are compared with what was there before it. */
export function comparesFiles({ config }: Pick<StepModel, 'config'>): boolean {
  const { outputs } = config;
  return Array.isArray(outputs) && outputs.some((output) => isJsonObject(output) && (output.type === 'file' || output.type === 'artifact'));
}

/** Why a pattern is refused; undefined for one that stays inside of the workspace (F03). */
export function patternRefusal(pattern: string): string | undefined {
  if (pattern.trim() === '' || pattern.includes('\0')) return 'it is empty';
  if (/^(?:[/\\]|[A-Za-z]:)/.test(pattern)) return 'it is absolute';
  return pattern.split(/[/\\{},]/).includes('..') ? 'it leads out of the workspace' : undefined;
}
