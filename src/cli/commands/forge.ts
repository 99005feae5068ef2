// `pawl forge`: acts as people and CI at the local forge.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { waitingApprovals } from '../../control/approvals.ts';
import { OPEN_STATES } from '../../control/trigger/open-runs.ts';
import type { ApprovalModel } from '../../definition/model.ts';
import { commandIn } from '../../server/surface/command/command.ts';
import { isAbout, openRunOf } from '../../server/triggers/open-runs.ts';
import { COMMON_OPTIONS, type CommandRun, type ParsedArgs } from '../command.ts';
import { FORGE_ACTIONS, type ForgeAction } from '../forge/actions.ts';
import { type ActionEffect, rightAtForge } from '../forge/right.ts';
import { requireLocalForge } from '../forge/session.ts';
import { closing, findPlace, openExisting, type Place } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const { words, action, number } = readAction(given);
  rejectUnknownOptions(given, words, action);
  const place = await findPlace(shell, given);
  const { effect } = action;
  // Rights for changes at the forge are checked only here.
  const actor = effect === undefined ? 'nobody' : await rightAtForge(shell, given, await effectOf(place, { effect, given, number }));
  const opened = await requireLocalForge(shell, place, actor);
  return closing(opened, async (forge) => {
    await action.run({ shell, given, forge, actor, number });
    return 0;
  });
};

interface NamedAction {
  readonly words: string;
  readonly action: ForgeAction;
  readonly number: number;
}

function readAction(given: ParsedArgs): NamedAction {
  const kind = given.word('KIND');
  const rest = [...given.allWords('WORD')];
  const verbs = Object.keys(FORGE_ACTIONS).flatMap((words) => (words.startsWith(`${kind} `) ? [words.slice(kind.length + 1)] : []));
  const verb = verbs.length === 0 ? undefined : (rest.shift() ?? '');
  if (verb !== undefined && !verbs.includes(verb))
    throw new EngineError(
      'USAGE',
      `${verb === '' ? `the action is missing: pawl forge ${kind}` : `unknown action "pawl forge ${kind} ${verb}"${didYouMean(verb, verbs)}; use`} ${verbs.join('|')}`,
    );
  const words = verb === undefined ? kind : `${kind} ${verb}`;
  const action = FORGE_ACTIONS[words] as ForgeAction;
  const [number, extra] = action.numbered ? [numberOf(words, rest[0]), rest[1]] : [0, rest[0]];
  if (extra !== undefined) throw new EngineError('USAGE', `unexpected argument "${extra}" after "pawl forge ${words}"`);
  return { words, action, number };
}

function numberOf(words: string, text: string | undefined): number {
  if (text === undefined) throw new EngineError('USAGE', `the number is missing: pawl forge ${words} N`);
  const digits = text.replace(/^#/, '');
  if (!/^[1-9]\d{0,9}$/.test(digits)) throw new EngineError('USAGE', `pawl forge ${words} needs a number such as 2, not "${text}"`);
  return Number(digits);
}

function rejectUnknownOptions(given: ParsedArgs, words: string, { options }: ForgeAction): void {
  const common = COMMON_OPTIONS.map(({ name }) => name);
  const unknown = given.names().find((name) => !options.includes(name) && !common.includes(name));
  if (unknown === undefined) return;
  const known = options.length === 0 ? 'it has no options' : `its options are ${options.map((name) => `--${name}`).join(', ')}`;
  throw new EngineError('USAGE', `pawl forge ${words} has no option --${unknown}; ${known}`);
}

interface GivenAction {
  readonly effect: ActionEffect;
  readonly given: ParsedArgs;
  readonly number: number;
}

/**
 * The effect of an action with its options, given the open runs of the project: a comment can be a command, and a question of
 * an open run can wait for a comment or a label.
 */
async function effectOf(place: Place, { effect, given, number }: GivenAction): Promise<ActionEffect> {
  if (effect !== 'changes') return effect;
  if (commandIn(given.option('body') ?? '') !== undefined) return 'commands';
  const isAwaited = (forge: ApprovalModel['forge']): boolean =>
    given.option('body') === undefined
      ? forge?.waitFor === 'label' && given.options('add').includes(forge.label ?? '')
      : forge?.waitFor === 'comment';
  return (await hasQuestion(place, number, isAwaited)) ? 'settles' : effect;
}

async function hasQuestion(place: Place, number: number, matches: (forge: ApprovalModel['forge']) => boolean): Promise<boolean> {
  await using store = await openExisting(place);
  if (store === undefined) return false;
  const about = { issues: [number], prs: [number] };
  for (const { id, origin } of await store.list({ status: OPEN_STATES, about, mayAsk: true })) {
    if (!isAbout(await openRunOf(store, { id, origin }), about)) continue;
    if ((await waitingApprovals(store, id)).some(({ approval }) => matches(approval.question.forge))) return true;
  }
  return false;
}
