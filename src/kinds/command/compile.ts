// Compiles a `command` step: a shell line, or a program and its arguments.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import { type FlowSpec, invalid } from '../../authoring/flow/model.ts';
import { builtCode, extractFunctions } from '../../authoring/graph/built.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { eitherShape, objectShape, TEXT, TEXT_OR_TEXTS, TEXTS } from '../../authoring/spec/shape.ts';
import type { WorkOf } from '../../definition/model.ts';
import { NO_PROGRAM, parseProgram } from '../../definition/program.ts';
import { command as declaration } from './declare.ts';
import type { CommandSpec, CommandStep } from './spec.ts';

/** Compiles `command` steps. */
export const command: KindCompiler = {
  ...declaration,
  field: 'command',
  flow: {
    command: {
      most: 1,
      first: eitherShape(TEXT_OR_TEXTS, objectShape<object>({ run: TEXT, argv: TEXTS }, { example: '{ run: "npm test" }' })),
      own: ['run', 'argv', 'env', 'cwd'],
      write: commandOf,
    },
  },
  shapes: { command: TEXT_OR_TEXTS },
  beside: ['env', 'cwd'],
  literals: ({ config }: WorkOf<'command'>) => config,
  read({ command: words, env, cwd }, { step }) {
    const program = typeof words === 'string' ? { run: words } : { argv: words };
    const { data, built } = extractFunctions({ ...program, env, cwd }, { env: 'texts', cwd: 'text' }, { step });
    return { work: { kind: 'command', config: step.parse(data, '`command`', parseProgram) }, code: builtCode(built) };
  },
};

function commandOf([command]: MethodArguments<CommandStep<never>, 'command'>, name: string): FlowSpec {
  const { run, argv, env, cwd, ...options } = commandSpec(command);
  if ((run === undefined) === (argv === undefined)) throw invalid(`step "${name}"`, `cannot be built: ${NO_PROGRAM.join('; ')}`);
  return { fields: { command: run ?? argv, env, cwd }, options };
}

function commandSpec(command: string | readonly string[] | CommandSpec): CommandSpec {
  if (typeof command === 'string') return { run: command };
  return isWords(command) ? { argv: command } : command;
}

function isWords(command: readonly string[] | CommandSpec): command is readonly string[] {
  return Array.isArray(command);
}
