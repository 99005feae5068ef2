// `pawl forge`: acts as people and CI at the local forge.

import { didYouMean } from '../../base/suggest.ts';
import { waitingApprovals } from '../../control/approvals.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import type { ApprovalModel } from '../../definition/model.ts';
import { commandIn } from '../../server/surface/command/command.ts';
import { isAbout, openRunOf } from '../../server/triggers/open-runs.ts';
import { COMMON_OPTIONS, type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { FORGE_ACTIONS, type ForgeAction } from '../forge/actions.ts';
import { type ActionEffect, rightAtForge } from '../forge/right.ts';
import { requireLocalForge } from '../forge/session.ts';
import { closing, findSetup, openExisting, type Setup } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const { words, action, number } = readAction(args);
  rejectUnknownOptions(args, words, action);
  const setup = await findSetup(shell, args);
  const { effect } = action;
  // Rights for changes at the forge are checked only here.
  const actor = effect === undefined ? 'nobody' : await rightAtForge(shell, args, await effectOf(setup, { effect, args, number }));
  const opened = await requireLocalForge(shell, setup, actor);
  return closing(opened, async (forge) => {
    await action.run({ shell, args, forge, actor, number });
    return 0;
  });
};

interface NamedAction {
  readonly words: string;
  readonly action: ForgeAction;
  readonly number: number;
}

function readAction(args: ParsedArgs): NamedAction {
  const kind = args.word('KIND');
  const rest = [...args.allWords('WORD')];
  const verbs = Object.keys(FORGE_ACTIONS).flatMap((words) => (words.startsWith(`${kind} `) ? [words.slice(kind.length + 1)] : []));
  const verb = verbs.length === 0 ? undefined : (rest.shift() ?? '');
  if (verb !== undefined && !verbs.includes(verb))
    throw usageError(
      `${verb === '' ? `the action is missing: pawl forge ${kind}` : `unknown action "pawl forge ${kind} ${verb}"${didYouMean(verb, verbs)}; use`} ${verbs.join('|')}`,
    );
  const words = verb === undefined ? kind : `${kind} ${verb}`;
  const action = FORGE_ACTIONS[words] as ForgeAction;
  const [number, extra] = action.numbered ? [numberOf(words, rest[0]), rest[1]] : [0, rest[0]];
  if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "pawl forge ${words}"`);
  return { words, action, number };
}

function numberOf(words: string, text: string | undefined): number {
  if (text === undefined) throw usageError(`the number is missing: pawl forge ${words} N`);
  const digits = text.replace(/^#/, '');
  if (!/^[1-9]\d{0,9}$/.test(digits)) throw usageError(`pawl forge ${words} needs a number such as 2, not "${text}"`);
  return Number(digits);
}

function rejectUnknownOptions(args: ParsedArgs, words: string, { options }: ForgeAction): void {
  const common = COMMON_OPTIONS.map(({ name }) => name);
  const unknown = args.names().find((name) => !options.includes(name) && !common.includes(name));
  if (unknown === undefined) return;
  const known = options.length === 0 ? 'it has no options' : `its options are ${options.map((name) => `--${name}`).join(', ')}`;
  throw usageError(`pawl forge ${words} has no option --${unknown}; ${known}`);
}

interface ActionWithOptions {
  readonly effect: ActionEffect;
  readonly args: ParsedArgs;
  readonly number: number;
}

/**
 * The effect of an action with its options, given the open runs of the project: a comment can be a command, and a question of
 * an open run can wait for a comment or a label.
 */
async function effectOf(setup: Setup, { effect, args, number }: ActionWithOptions): Promise<ActionEffect> {
  if (effect !== 'changes') return effect;
  if (commandIn(args.option('body') ?? '') !== undefined) return 'commands';
  const isAwaited = (forge: ApprovalModel['forge']): boolean =>
    args.option('body') === undefined
      ? forge?.waitFor === 'label' && args.options('add').includes(forge.label ?? '')
      : forge?.waitFor === 'comment';
  return (await hasQuestion(setup, number, isAwaited)) ? 'settles' : effect;
}

async function hasQuestion(setup: Setup, number: number, matches: (forge: ApprovalModel['forge']) => boolean): Promise<boolean> {
  await using store = await openExisting(setup);
  if (store === undefined) return false;
  const about = { issues: [number], prs: [number] };
  for (const { id, origin } of await store.list({ status: OPEN_STATES, about, mayAsk: true })) {
    if (!isAbout(await openRunOf(store, { id, origin }), about)) continue;
    if ((await waitingApprovals(store, id)).some(({ approval }) => matches(approval.question.forge))) return true;
  }
  return false;
}
