// Owns how the demo tells its run: each step when it begins and when it ends, and for the agent what it claimed beside
// what the engine observed. All of it is read from the record of the run.

import type { Engine } from '../../api/engine.ts';
import type { Json } from '../../base/json.ts';
import type { OpenGate } from '../../engine/gates.ts';
import type { StepView } from '../../engine/inspect.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { activationIn } from '../../kernel/event.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';

/** What it takes to tell a run. */
export interface Telling {
  readonly engine: Engine;
  readonly run: string;
  /** Has the open question decided; `later` ends the telling. */
  readonly decide: () => Promise<'decided' | 'later'>;
  /** Leaves time for reading. */
  readonly pause: () => Promise<void>;
}

const REMARKS: Readonly<Record<string, string>> = {
  reproduce: 'the engine runs the tests, to see the bug',
  fix: 'an agent works; here it is a script, without a model or a key',
  test: 'a gate: the engine runs all tests, whatever anybody says',
  compare: 'what changed is put together for a person',
  approve: 'a person decides about exactly what is shown',
  commit: 'what was approved is committed',
};

const STEP_WIDTH = Math.max(...Object.keys(REMARKS).map((step) => step.length));

/** Tells a run until it has ended, or until its question is left for later. */
export async function tellRun(shell: Shell, telling: Telling): Promise<'ended' | 'later'> {
  for await (const event of telling.engine.run(telling.run).log()) {
    if (event.type === 'step.opened') {
      await telling.pause();
      const { step } = event.activation;
      shell.print(`\n${shell.style('bold', step.padEnd(STEP_WIDTH))}  ${shell.style('dim', REMARKS[step] ?? '')}`);
    }
    if (asksPerson(event) && (await telling.decide()) === 'later') return 'later';
    const ended = endedAttempt(event);
    if (ended === undefined) continue;
    const step = await findStep(telling, ended);
    if (step.kind === 'agent') await telling.pause();
    for (const line of stepLines(shell, step)) shell.print(`  ${line}`);
  }
  return 'ended';
}

function asksPerson(event: RunEvent): boolean {
  return humanWaitOf(activationIn(event)) !== undefined;
}

interface Ended {
  readonly path: string;
  readonly attempt: number;
}

function endedAttempt(event: RunEvent): Ended | undefined {
  if (event.type === 'step.settled') return { path: event.path, attempt: event.attempt };
  return event.type === 'step.changed' && event.failed !== undefined
    ? { path: event.activation.path, attempt: event.failed.attempt }
    : undefined;
}

async function findStep({ engine, run }: Telling, { path, attempt }: Ended): Promise<StepView> {
  const { steps } = await engine.run(run).get();
  return steps.find((step) => step.path === path && step.attempt === attempt) as StepView;
}

function stepLines(shell: Shell, step: StepView): string[] {
  const mark = statusMark(shell, step.status);
  if (step.status === 'skipped') return [`${mark} left out: git is not installed`];
  if (step.kind === 'agent') return agentLines(shell, step);
  if (step.error !== undefined) return [`${mark} ${oneLine(step.error)}`];
  switch (step.step) {
    case 'reproduce': {
      const failing = field(step.output, 'failing') as readonly string[];
      return [
        `${mark} ${field(step.output, 'tests')} tests, and this one fails: ${failing.map((name) => `"${oneLine(name)}"`).join(', ')}`,
      ];
    }
    case 'test':
      return step.outcome === 'ok' ? [`${mark} node --test: all tests pass`] : [`${mark} node --test: not all tests pass`];
    case 'approve':
      return [`${mark} decided: "${field(step.output, 'option')}", by ${oneLine(step.actor ?? '')}`];
    default:
      return [`${mark} done`];
  }
}

function agentLines(shell: Shell, step: StepView): string[] {
  const verdicts = field(step.evidence, 'postconditions') as readonly { name: string; passed: boolean | null; error?: string }[];
  const isRefused = step.status === 'failed';
  const heading = `attempt ${step.attempt} is ${isRefused ? 'refused' : 'accepted'}`;
  const observed = verdicts.map(({ name, passed, error }) => {
    const mark = statusMark(shell, passed === true ? 'completed' : 'failed');
    return `${mark} ${oneLine(passed === true ? name : (error ?? name))}`;
  });
  return [
    `${statusMark(shell, step.status)} ${shell.style(isRefused ? 'red' : 'green', heading)}`,
    `    ${shell.style('dim', 'claimed ')}  "${oneLine(String(field(step.claim, 'message')))}"`,
    ...observed.map((line, index) => `    ${shell.style('dim', index === 0 ? 'observed' : '        ')}  ${line}`),
    ...(isRefused ? [shell.style('dim', 'What was observed goes back to the agent, and it tries again.')] : []),
  ];
}

/** The question of the demo, with the change in the colours that people know. */
export function questionLines(shell: Shell, { gate, shown }: OpenGate): string[] {
  const change = plain(String(field(shown, 'change'))).split('\n');
  return [oneLine(gate.prompt), ...change.map((line) => `    ${shell.style(line.startsWith('-') ? 'red' : 'green', line)}`)];
}

function field(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })[name]
    : undefined;
}
