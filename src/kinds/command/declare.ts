// Declares the kind `command`: a program that gets the step on its standard input.

import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { type ProgramModel, parseProgram } from '../../definition/program.ts';

declare module '../../definition/model.ts' {
  interface WorkConfigs {
    command: ProgramModel;
  }
}

/** A program. */
export const command: KindDeclaration = {
  kind: 'command',
  worker: 'program',
  writesFiles: 'any',
  joinsData: true,
  undoText: ({ config: { run, argv = [] } }: StepOf<'command'>) => run ?? argv.join(' '),
  effects: 'lasting',
  again: 'effects may repeat',
  effectText: () => 'what the program did outside the workspace: pushes, network, databases',
  outcomes: [],
  recovery: 'ask',
  validate({ config }: StepOf<'command'>, report) {
    parseProgram(config, report);
  },
};
