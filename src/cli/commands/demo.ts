// `pawl demo`: narrates a real run on a tiny project.

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../api/engine.ts';
import { isEngineError } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import { readRunReport } from '../../control/run/report.ts';
import type { RunReport } from '../../control/schema/run.ts';
import { describeGraph } from '../../definition/describe.ts';
import type { Definition } from '../../definition/model.ts';
import type { CommandRun } from '../command.ts';
import { decideOnTerminal } from '../decision/decision.ts';
import { narrateRun, questionLines } from '../demo/narration.ts';
import { createDemoProject, type DemoProject } from '../demo/project.ts';
import { catchInterrupts, EXIT_INTERRUPTED, type Interrupt } from '../interrupt.ts';
import { loadWorkflow } from '../load.ts';
import { stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';
import { exitOf, statusText } from '../status.ts';
import { ensureStateId } from '../store-origin.ts';
import { trustContent } from '../trust/trust-list.ts';

const PAUSE_MS = 600;
const SCRIPT_ACTOR = 'demo script';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const keep = args.option('keep');
  const project = await createDemoProject(keep === undefined ? undefined : resolve(shell.cwd, keep));
  for (const line of openingLines(shell, project)) shell.print(line);
  await trustContent(shell, project.workflow);
  const { workflow } = await loadWorkflow(shell, { root: project.root, because: 'option', home: project.home }, project.workflow);
  const { createEngine } = await import('../../api/engine.ts');
  const engine = await createEngine({ db: project.database, workflows: [workflow], cwd: project.root, drives: 'own' });
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  try {
    // The commands printed at the end use this database.
    await engine.store.bind(ensureStateId(stateHome(shell)));
    const { id } = await engine.start(workflow, { git: project.hasGit }, { origin: { file: project.workflow, actor: shell.actor } });
    const scene = { engine, run: id, project, definition: workflow.definition, interrupt };
    return await play(shell, scene, !args.has('no-pause'));
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
  const ended = await narrate(shell, scene, pauses && shell.display.isTerminal ? PAUSE_MS : 0);
  if (ended === 'interrupted') {
    await interrupt.stopped;
    shell.print(`\nInterrupted. Nothing is still running. Continue with:\n  ${commandOf(shell, scene, `resume ${id}`)}`);
    return EXIT_INTERRUPTED;
  }
  if (ended === 'later') {
    shell.print(`Decide later with:\n  ${commandOf(shell, scene, `decide ${id}`)}`);
    return exitOf('waiting');
  }
  const report = await readRunReport(engine.store, id);
  const demo = { project: project.root, database: project.database };
  shell.result({ ...report, demo }, () => closingLines(shell, scene, report));
  return exitOf(report.run.status);
}

async function narrate(
  shell: Shell,
  { engine, run, interrupt, project }: Scene,
  pauseMs: number,
): Promise<'ended' | 'later' | 'interrupted'> {
  const setup = { project, file: project.database, state: undefined };
  try {
    const ended = await narrateRun(shell, {
      engine,
      run,
      decide: () => (shell.isInteractive ? decideOnTerminal(shell, engine, { run, setup }) : decideByScript(shell, engine, run)),
      pause: () => Promise.race([sleep(pauseMs), interrupt.stopped]),
    });
    return interrupt.isStopping ? 'interrupted' : ended;
  } catch (error) {
    // The narration reads the run while a signal closes the engine.
    if (interrupt.isStopping && isEngineError(error)) return 'interrupted';
    throw error;
  }
}

/** Decides if there is no terminal. Only the demo does this: any other run waits for a person. */
async function decideByScript(shell: Shell, engine: Engine, run: string): Promise<'decided'> {
  const [approval] = await engine.run(run).approvals();
  if (approval === undefined) return 'decided';
  for (const line of questionLines(shell, approval)) shell.print(`  ${line}`);
  shell.print('  There is no terminal to ask you, so a script, which exists only in this demo,');
  shell.print('  answers "commit". At a terminal, you would decide.');
  await engine.run(run).decide({ option: 'commit', actor: SCRIPT_ACTOR, digest: approval.digest });
  return 'decided';
}

function openingLines(shell: Shell, { root, hasGit }: DemoProject): string[] {
  return [
    shell.style('bold', 'An agent says that it has fixed a bug. Has it?'),
    '',
    'Here is a tiny shop with a bug: its discount should start at 100.00, but does',
    'not apply at exactly 100.00:',
    `  ${shell.style('cyan', root)}`,
    ...(hasGit ? [] : ['git is not installed, so nothing will be committed.']),
  ];
}

function closingLines(shell: Shell, scene: Scene, { run, steps }: RunReport): string[] {
  const rejected = steps.filter((step) => step.kind === 'agent' && step.status === 'failed').length;
  const seconds = (run.durationMs / 1000).toFixed(1);
  return [
    '',
    `The run ${statusText(shell, run.status)} in ${seconds} s: ${steps.length} attempts, ${rejected} rejected.`,
    'Everything is recorded on disk.',
    ...graphLines(shell, scene.definition).map((line) => `  ${line}`),
    '',
    shell.style('bold', 'Look deeper'),
    ...NEXT_COMMANDS.flatMap(({ words, about }) => [
      `  ${shell.style('dim', `# ${about}`)}`,
      `  ${shell.style('cyan', commandOf(shell, scene, words(scene)))}`,
    ]),
    '',
    `${shell.style('bold', 'Your own')}  ${shell.style('cyan', `${shell.program} init`)} writes a first workflow into your project.`,
  ];
}

const NEXT_COMMANDS: readonly { readonly words: (scene: Scene) => string; readonly about: string }[] = [
  { words: ({ run }) => `show ${run}`, about: 'the full report: claims, evidence, the decision and who made it' },
  { words: ({ definition }) => `graph ${definition.name}`, about: 'the graph of the workflow' },
  { words: ({ run }) => `fork ${run} --from fix`, about: 'run it again starting at the agent, as a new run' },
];

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
  return `${shell.program} ${words} --project ${shellWord(project.root)}`;
}
