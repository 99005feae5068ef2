// Declares the kind `task`: a function of the author does the work, and its return value is the outcome.

import type { Json } from '../../base/json.ts';
import type { KindDeclaration } from '../../definition/kind.ts';

/** `args` shows the arguments of a flow's call; a list, or the name of the function that builds it. */
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

/** A function in the engine's process. A crash may interrupt it, so a person is asked before it runs again. */
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
