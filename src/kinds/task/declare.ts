// Owns what the kind `task` declares: a function of the author does the work, and its return value is the outcome.

import type { Json } from '../../base/json.ts';
import type { KindDeclaration } from '../../definition/kind.ts';

/** `args` shows what a flow calls the function with; a list, or the name of the function that builds it. */
export type TaskConfig = {
  readonly args?: Json;
  /** It has instructions and no function: an attended run hands them to its agent. Otherwise the step does nothing. */
  readonly instructed?: true;
};

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    task: TaskConfig;
  }
}

/** A function in the process of the engine. A crash may have caught it half-way, so it asks before it runs again. */
export const task: KindDeclaration = {
  kind: 'task',
  worker: 'function',
  writesFiles: 'declared',
  joinsData: true,
  undoText: ({ title }) => (title === 'undo' ? 'a function' : title),
  effects: 'lasting',
  again: 'effects may repeat',
  effectText: () => 'what the function did outside the workspace',
  outcomes: [],
  recovery: 'ask',
  validate() {},
};
