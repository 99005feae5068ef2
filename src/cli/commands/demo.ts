// `pawl demo`: a real run on a tiny project, told as it happens.

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../api/engine.ts';
import { isEngineError } from '../../base/error.ts';
import { describeGraph } from '../../definition/describe.ts';
import type { Definition } from '../../definition/model.ts';
import { userActor } from '../actor.ts';
import { callOf, shellWord } from '../caller.ts';
import type { CommandRun } from '../command.ts';
import { decideOnTerminal } from '../decision/decision.ts';
import { createDemoProject, type DemoProject } from '../demo/project.ts';
import { questionLines, tellRun } from '../demo/telling.ts';
import { catchInterrupts, EXIT_INTERRUPTED, type Interrupt } from '../interrupt.ts';
import { loadWorkflow } from '../load.ts';
import { stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';
import { exitOf, statusText } from '../status.ts';
import { ensureStateId } from '../store-origin.ts';
import { readStory, type Story } from '../story/story.ts';
import { trustContent } from '../trust/trust.ts';

const PAUSE_MS = 600;
const STAND_IN = 'stand-in of the demo';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const keep = given.option('keep');
  const project = await createDemoProject(keep === undefined ? undefined : resolve(shell.cwd, keep));
  for (const line of openingLines(shell, project)) shell.print(line);
  await trustContent(shell, project.workflow);
  const { workflow } = await loadWorkflow(shell, { root: project.root, because: 'option', home: project.home }, project.workflow);
  const { createEngine } = await import('../../api/engine.ts');
  const engine = await createEngine({ db: project.database, workflows: [workflow], cwd: project.root, drives: 'own' });
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  try {
    // The commands that the demo ends with go on in this database.
    await engine.store.bind(ensureStateId(stateHome(shell)));
    const { id } = await engine.start(workflow, { git: project.hasGit }, { origin: { file: project.workflow, actor: userActor(shell) } });
    const scene = { engine, run: id, project, definition: workflow.definition, interrupt };
    return await play(shell, scene, !given.has('no-pause'));
  } finally {
    interrupt.release();
    await engine.close();
  }
};

interface Scene {
  readonly engine: Engine;
  readonly run: string;
  readonly project: DemoProject;
  readonly definition: Definition;
  readonly interrupt: Interrupt;
}

async function play(shell: Shell, scene: Scene, pauses: boolean): Promise<number> {
  const { engine, run: id, interrupt, project } = scene;
  const ended = await tell(shell, scene, pauses && shell.look.isTerminal ? PAUSE_MS : 0);
  if (ended === 'interrupted') {
    await interrupt.stopped;
    shell.print(`\nInterrupted. Nothing is left running, and this goes on with it:\n  ${commandOf(shell, scene, `resume ${id}`)}`);
    return EXIT_INTERRUPTED;
  }
  if (ended === 'later') {
    shell.print(`From where you are now:\n  ${commandOf(shell, scene, `decide ${id}`)}`);
    return exitOf('waiting');
  }
  const story = await readStory(engine.store, id);
  const demo = { project: project.root, database: project.database };
  shell.result({ ...story, demo }, () => closingLines(shell, scene, story));
  return exitOf(story.run.status);
}

async function tell(shell: Shell, { engine, run, interrupt }: Scene, pauseMs: number): Promise<'ended' | 'later' | 'interrupted'> {
  try {
    const ended = await tellRun(shell, {
      engine,
      run,
      decide: () => (shell.isInteractive ? decideOnTerminal(shell, engine, run) : decideAsStandIn(shell, engine, run)),
      pause: () => Promise.race([sleep(pauseMs), interrupt.stopped]),
    });
    return interrupt.isStopping ? 'interrupted' : ended;
  } catch (error) {
    // The telling reads the run while a signal closes the engine under it.
    if (interrupt.isStopping && isEngineError(error)) return 'interrupted';
    throw error;
  }
}

/** Decides where nobody can be asked. It exists only here: everywhere else a run waits for a person. */
async function decideAsStandIn(shell: Shell, engine: Engine, run: string): Promise<'decided'> {
  const [gate] = await engine.run(run).gates();
  if (gate === undefined) return 'decided';
  for (const line of questionLines(shell, gate)) shell.print(`  ${line}`);
  shell.print('  Nobody can be asked here: a scripted decider, which exists only in this demo,');
  shell.print('  stands in and answers "commit". At a terminal it would be you.');
  await engine.run(run).decide({ option: 'commit', actor: STAND_IN, digest: gate.digest });
  return 'decided';
}

function openingLines(shell: Shell, { root, hasGit }: DemoProject): string[] {
  return [
    shell.style('bold', 'An agent says that it has fixed a bug. Has it?'),
    '',
    'Here is a tiny shop whose discount begins at 100.00, but not at exactly 100.00:',
    `  ${shell.style('cyan', root)}`,
    ...(hasGit ? [] : ['git is not installed, so it has no history, and nothing will be committed.']),
  ];
}

function closingLines(shell: Shell, scene: Scene, { run, steps }: Story): string[] {
  const refused = steps.filter((step) => step.kind === 'agent' && step.status === 'failed').length;
  const seconds = (run.durationMs / 1000).toFixed(1);
  return [
    '',
    `The run is ${statusText(shell, run.status)} in ${seconds} s: ${steps.length} attempts, ${refused} refused. All of it is on disk.`,
    ...graphLines(shell, scene.definition).map((line) => `  ${line}`),
    '',
    shell.style('bold', 'Look deeper'),
    ...LOOKS.flatMap(({ words, about }) => [
      `  ${shell.style('dim', `# ${about}`)}`,
      `  ${shell.style('cyan', commandOf(shell, scene, words(scene)))}`,
    ]),
    '',
    `${shell.style('bold', 'Your own')}  ${shell.style('cyan', `${callOf(shell)} init`)} writes a first workflow into a project of yours.`,
  ];
}

const LOOKS: readonly { readonly words: (scene: Scene) => string; readonly about: string }[] = [
  { words: ({ run }) => `show ${run}`, about: 'the whole story: claims, evidence, the decision and who made it' },
  { words: ({ definition }) => `graph ${definition.name}`, about: 'the graph of the workflow, for a picture' },
  { words: ({ run }) => `fork ${run} --from fix`, about: 'once more from the agent on, as a run of its own' },
];

/** The steps in order, and under them the ways back. */
function graphLines(shell: Shell, definition: Definition): string[] {
  const { nodes, arrows } = describeGraph(definition);
  const arrow = ` ${shell.symbol('arrow')} `;
  const back = arrows.filter(({ isBack }) => isBack);
  return [
    [...nodes.map(({ id }) => id), 'complete'].join(arrow),
    shell.style('dim', `and back: ${back.map(({ from, to, on }) => `${from}${arrow}${to} (${on.join(', ')})`).join(', ')}`),
  ];
}

function commandOf(shell: Shell, { project }: Scene, words: string): string {
  return `${callOf(shell)} ${words} --project ${shellWord(project.root)}`;
}
