// `pawl skill`: lists, shows, checks and writes skills, and prints one step for an agent. No database is opened.

import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { findProject, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { printStep, STEP_OPTIONS } from '../skills/step.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const project = findProject(shell, args);
  const action = args.word('ACTION') as keyof typeof ACTIONS;
  assertOptions(args, action);
  return (await ACTIONS[action]())(shell, project, args);
};

type Action = (shell: Shell, project: Project, args: ParsedArgs) => Promise<number>;

/** The code of each action. Only `step`, which agents call all day, is loaded with the command. */
const ACTIONS = {
  list: async (): Promise<Action> => (await import('../skills/inspect.ts')).list,
  show: async (): Promise<Action> => (await import('../skills/inspect.ts')).show,
  lint: async (): Promise<Action> => (await import('../skills/check.ts')).lint,
  new: async (): Promise<Action> => (await import('../skills/new.ts')).create,
  resource: async (): Promise<Action> => (await import('../skills/resource.ts')).resource,
  install: async (): Promise<Action> => (await import('../skills/install.ts')).install,
  uninstall: async (): Promise<Action> => (await import('../skills/install.ts')).uninstall,
  export: async (): Promise<Action> => (await import('../skills/export.ts')).exportWorkflow,
  step: async (): Promise<Action> => printStep,
};

const TARGET_OPTIONS = ['claude', 'codex', 'gemini', 'opencode', 'agents', 'user', 'to', 'force', 'dry-run'];

/** Options that only some actions accept. */
const OPTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  show: new Set(['step']),
  step: new Set(['step', ...STEP_OPTIONS]),
  resource: new Set(['copy']),
  new: new Set(['dry-run']),
  install: new Set([...TARGET_OPTIONS, 'stateless']),
  uninstall: new Set(TARGET_OPTIONS),
  export: new Set(TARGET_OPTIONS),
};
const SPECIAL = new Set(Object.values(OPTIONS).flatMap((names) => [...names]));

function assertOptions(args: ParsedArgs, action: string): void {
  const invalid = args.names().find((name) => SPECIAL.has(name) && OPTIONS[action]?.has(name) !== true);
  if (invalid !== undefined)
    throw usageError(`--${invalid} is not an option of "pawl skill ${action}"; "pawl skill --help" shows the usage`);
  const words = args.allWords('NAME');
  const extra = action === 'list' ? words[0] : ['install', 'uninstall'].includes(action) ? undefined : words[1];
  if (extra === undefined) return;
  const hint = action === 'list' ? '"pawl skill show NAME" shows one skill' : `"pawl skill ${action}" accepts one name`;
  throw usageError(`unexpected argument "${extra}"; ${hint}`);
}
