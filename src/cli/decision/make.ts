// Owns the way of a decision from the command line to the run: who may, about which question, the confirmation, the
// post, and the driving on. The commands `decide`, `approve` and `reject` differ only in which option they mean.
//
// A run that a live process owns takes the decision from its mail, so nothing of its code is needed here. A run that
// nobody owns would stay where it is: its code is loaded first, and when that fails nothing is recorded.

import type { AnyWorkflow, Engine } from '../../api/engine.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Definition, GateOptionModel } from '../../definition/model.ts';
import type { OpenGate } from '../../engine/gates.ts';
import { isDead } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import type { Given } from '../command.ts';
import { identityFor } from '../identity/identity.ts';
import { isSignedBy, signDecision } from '../identity/signing.ts';
import { findPlace, findRun, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';
import { type PendingApproval, pendingApprovals, pickApproval, rootOf } from './approvals.ts';
import { alreadyDecided, contentChanged } from './change.ts';
import { type Answer, answerOnTerminal, approvalLines, askInput, decisionOf } from './decision.ts';
import { confirm, openPrompt } from './prompt.ts';
import { type DecisionRight, rightToDecide } from './right.ts';

/** Gives the option that is meant at a gate; without one the person at the terminal is asked. */
type Choose = ((gate: OpenGate, definition: Definition) => GateOptionModel) | undefined;

interface Deciding {
  readonly shell: Shell;
  readonly given: Given;
  readonly place: Place;
  readonly store: Store;
  readonly right: DecisionRight;
}

/** The exit code of a question that stays open. */
const EXIT_WAITING = 3;

/** Runs a command that decides. */
export async function decideByCommand(shell: Shell, given: Given, choose: Choose): Promise<number> {
  const right = rightToDecide(shell, given);
  const place = await findPlace(shell, given);
  const store = await openForRun(place, given.word('RUN'));
  try {
    const run = await findRun(store, given.word('RUN'), place);
    const asked = await askedGate({ shell, given, place, store, right }, run);
    const deciding = { shell, given, place, store, right: rightAt(shell, given, { asked, right }) };
    const root = await rootOf(store, asked.run);
    const known = (await isDriven(store, asked.run)) ? undefined : await workflowsOf(deciding, root);
    const answer = await answerTo(deciding, asked, choose);
    if (answer === undefined) {
      shell.print(`Nothing is decided; "pawl decide ${asked.run}" asks again.`);
      return EXIT_WAITING;
    }
    return await record(deciding, { asked, answer, root, known });
  } finally {
    await store.close();
  }
}

/** Where a question takes a signature, whoever signs decides, whatever their account is called. */
function rightAt(
  shell: Shell,
  given: Given,
  { asked, right }: { readonly asked: PendingApproval; readonly right: DecisionRight },
): DecisionRight {
  return isSignedBy(shell, asked) ? { ...right, actor: identityFor(shell, given).name } : right;
}

/** The question that is meant, shown as it was seen; else the error says what became of it. */
async function askedGate({ shell, given, store, right }: Deciding, run: string): Promise<PendingApproval> {
  const named = { gate: given.option('gate'), digest: right.digest };
  const asked = pickApproval(run, await pendingApprovals(store, run), named);
  const fits = asked !== undefined && (right.digest === undefined || asked.gate.digest.startsWith(right.digest));
  if (fits) return asked;
  const decided = await alreadyDecided(store, run, named);
  // The gate that was decided may ask again, about other content: then that is what matters.
  const asksAgain = asked !== undefined && (decided === undefined || decided.details.gate === asked.gate.step);
  if (asksAgain) throw await contentChanged(shell, store, { asked, digest: right.digest ?? '' });
  throw decided ?? noGate(run, named.gate);
}

function noGate(run: string, gate: string | undefined): EngineError {
  const which = gate === undefined ? '' : ` "${gate}"`;
  return new EngineError('WAIT_NOT_FOUND', `run ${run} has no gate${which} that waits for a person; "pawl show ${run}" tells what it does`);
}

async function answerTo(deciding: Deciding, asked: PendingApproval, choose: Choose): Promise<Answer | undefined> {
  const { shell, store } = deciding;
  if (choose !== undefined) {
    const { definition } = await store.load(asked.run);
    return agreedAnswer(deciding, asked, choose(asked.gate, definition));
  }
  const answer = await answerOnTerminal(shell, store, asked);
  if (answer === 'gone') throw (await overtaken(deciding, asked)) ?? noGate(asked.run, asked.gate.path);
  return answer === 'later' ? undefined : answer;
}

/** Shows what is decided about and has it confirmed, where a person sees it for the first time. */
async function agreedAnswer(
  { shell, given, right }: Deciding,
  asked: PendingApproval,
  option: GateOptionModel,
): Promise<Answer | undefined> {
  const input = given.option('input');
  const lacksInput = option.requiresInput && (input ?? '').trim() === '';
  const said: Answer = { option, ...(input === undefined ? {} : { input }) };
  if (!shell.isInteractive || (right.digest !== undefined && !lacksInput)) return said;
  for (const line of [...approvalLines(shell, asked.run, asked.gate), '']) shell.print(line);
  const answer = lacksInput ? await askedInput(shell, option) : said;
  if (answer === undefined || right.digest !== undefined || given.has('yes')) return answer;
  return (await confirm(shell, `Decide "${oneLine(option.label)}" as ${right.actor}?`)) ? answer : undefined;
}

async function askedInput(shell: Shell, option: GateOptionModel): Promise<Answer | undefined> {
  const prompt = openPrompt(shell);
  try {
    return await askInput(prompt, option);
  } finally {
    prompt.close();
  }
}

async function isDriven(store: Store, run: string): Promise<boolean> {
  const { owner } = await store.load(run);
  return owner !== undefined && !isDead(owner);
}

interface Made {
  readonly asked: PendingApproval;
  readonly answer: Answer;
  readonly root: string;
  /** The loaded code; absent for a run that another process drove when we looked. */
  readonly known: readonly AnyWorkflow[] | undefined;
}

async function record(deciding: Deciding, { asked, answer, root, known }: Made): Promise<number> {
  const { shell, given, store, right, place } = deciding;
  // Its owner may have left while the person was thinking.
  const driven = await isDriven(store, asked.run);
  const workflows = known ?? (driven ? [] : await workflowsOf(deciding, root));
  const { driveRun, driveWithEngine } = await import('../drive.ts');
  const { actor } = right;
  const signature = isSignedBy(shell, asked) ? { signature: await signDecision(shell, given, { asked, answer, actor }) } : {};
  const use = async (engine: Engine): Promise<number> => {
    await engine
      .run(asked.run)
      .decide({ ...decisionOf(asked, answer, actor), ...signature })
      .catch(async (error: unknown) => {
        throw (await retold(deciding, asked, error)) ?? error;
      });
    const what = `"${oneLine(answer.option.label)}" at ${oneLine(asked.gate.path)} of run ${asked.run}`;
    shell.print(`${shell.symbol('done')} ${what}, as ${right.actor}.`);
    return driven ? tellDriven(deciding, root) : driveRun(shell, { engine, run: root, wait: false });
  };
  return driveWithEngine(shell, place, { store, workflows, use });
}

/** The code of a run that nobody drives: without it a decision would lie there, so nothing is recorded. */
async function workflowsOf({ shell, place, store }: Deciding, root: string): Promise<readonly AnyWorkflow[]> {
  const frozen = await store.load(root);
  const { state, codeHash } = frozen;
  const [{ loadWorkflowOf }, { checkUnchanged }] = await Promise.all([import('../load.ts'), import('../../engine/programs.ts')]);
  try {
    const { workflow } = await loadWorkflowOf(shell, place.project, frozen);
    checkUnchanged({ state, codeHash }, workflow);
    return [workflow];
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { code, details, position } = error;
    throw new EngineError(code, `nothing is decided, since nobody drives run ${root} and it cannot go on here: ${error.message}`, {
      cause: error,
      details,
      ...(position === undefined ? {} : { position }),
    });
  }
}

async function tellDriven({ shell, store }: Deciding, root: string): Promise<number> {
  const { readStory } = await import('../story/story.ts');
  shell.result(await readStory(store, root), () => [`The process that drives the run goes on with it; "pawl watch ${root}" follows.`]);
  return 0;
}

/** Refusals of the engine, with what only the log tells. */
async function retold(deciding: Deciding, asked: PendingApproval, error: unknown): Promise<EngineError | undefined> {
  return isEngineError(error) && OVERTAKEN.has(error.code) ? overtaken(deciding, asked) : undefined;
}

const OVERTAKEN: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'CONTENT_CHANGED', 'WAIT_NOT_FOUND', 'RUN_FINAL']);

/** What became of a question since it was shown: who was quicker and when, or what changed. */
async function overtaken({ shell, store }: Deciding, asked: PendingApproval): Promise<EngineError | undefined> {
  const { path, step, digest } = asked.gate;
  const decided = await alreadyDecided(store, asked.run, { gate: path, digest });
  if (decided !== undefined) return decided;
  const now = (await pendingApprovals(store, asked.run)).find(
    ({ run, gate }) => run === asked.run && gate.step === step && gate.digest !== digest,
  );
  return now === undefined ? undefined : contentChanged(shell, store, { asked: now, digest });
}
