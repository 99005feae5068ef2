// Owns how the demo narrates its run: each step as it starts and ends, and for the agent its claim next to the evidence.
// Everything is read from the run's record.

import type { Engine } from '../../api/engine.ts';
import { fieldOf } from '../../base/json.ts';
import { activationIn } from '../../engine/event-facts.ts';
import type { StepView } from '../../engine/inspect.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { humanWaitOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine, plain } from '../terminal.ts';

interface Narration {
  readonly engine: Engine;
  readonly run: string;
  /** Gets the pending approval decided; `later` ends the narration. */
  readonly decide: () => Promise<'decided' | 'later'>;
  /** Leaves time for reading. */
  readonly pause: () => Promise<void>;
}

const REMARKS: Readonly<Record<string, string>> = {
  reproduce: 'the engine runs the tests, to see the bug',
  fix: 'an agent works; here it is a script, without a model or a key',
  test: 'a gate: the engine runs all tests itself',
  compare: 'the changes are collected for a person',
  approve: 'a person decides on exactly what is shown',
  commit: 'the approved change is committed',
};

const STEP_WIDTH = Math.max(...Object.keys(REMARKS).map((step) => step.length));

/** Narrates a run until it has ended, or until the approval is left for later. */
export async function narrateRun(shell: Shell, narration: Narration): Promise<'ended' | 'later'> {
  for await (const event of narration.engine.run(narration.run).log()) {
    if (event.type === 'step.opened') {
      await narration.pause();
      const { step } = event.activation;
      shell.print(`\n${shell.style('bold', step.padEnd(STEP_WIDTH))}  ${shell.style('dim', REMARKS[step] ?? '')}`);
    }
    if (humanWaitOf(activationIn(event)) !== undefined && (await narration.decide()) === 'later') return 'later';
    const ended = endedAttempt(event);
    if (ended === undefined) continue;
    const step = await findStep(narration, ended);
    if (step.kind === 'agent') await narration.pause();
    for (const line of stepLines(shell, step)) shell.print(`  ${line}`);
  }
  return 'ended';
}

interface EndedAttempt {
  readonly path: string;
  readonly attempt: number;
}

function endedAttempt(event: RunEvent): EndedAttempt | undefined {
  if (event.type === 'step.settled') return { path: event.path, attempt: event.attempt };
  return event.type === 'step.changed' && event.failed !== undefined
    ? { path: event.activation.path, attempt: event.failed.attempt }
    : undefined;
}

async function findStep({ engine, run }: Narration, { path, attempt }: EndedAttempt): Promise<StepView> {
  const { steps } = await engine.run(run).get();
  return steps.find((step) => step.path === path && step.attempt === attempt) as StepView;
}

function stepLines(shell: Shell, step: StepView): string[] {
  const mark = statusMark(shell, step.status);
  if (step.status === 'skipped') return [`${mark} skipped: git is not installed`];
  if (step.kind === 'agent') return agentLines(shell, step);
  if (step.error !== undefined) return [`${mark} ${oneLine(step.error)}`];
  switch (step.step) {
    case 'reproduce': {
      const failing = fieldOf(step.output, 'failing') as readonly string[];
      return [
        `${mark} ${fieldOf(step.output, 'tests')} tests, and this one fails: ${failing.map((name) => `"${oneLine(name)}"`).join(', ')}`,
      ];
    }
    case 'test':
      return step.outcome === 'ok' ? [`${mark} node --test: all tests pass`] : [`${mark} node --test: not all tests pass`];
    case 'approve':
      return [`${mark} decided: "${fieldOf(step.output, 'option')}", by ${oneLine(step.actor ?? '')}`];
    default:
      return [`${mark} done`];
  }
}

function agentLines(shell: Shell, step: StepView): string[] {
  const verdicts = fieldOf(step.evidence, 'postconditions') as readonly { name: string; passed: boolean | null; error?: string }[];
  const isRejected = step.status === 'failed';
  const heading = `attempt ${step.attempt} is ${isRejected ? 'rejected' : 'accepted'}`;
  const observed = verdicts.map(({ name, passed, error }) => {
    const mark = statusMark(shell, passed === true ? 'completed' : 'failed');
    return `${mark} ${oneLine(passed === true ? name : (error ?? name))}`;
  });
  return [
    `${statusMark(shell, step.status)} ${shell.style(isRejected ? 'red' : 'green', heading)}`,
    `    ${shell.style('dim', 'claimed ')}  "${oneLine(String(fieldOf(step.claim, 'message')))}"`,
    ...observed.map((line, index) => `    ${shell.style('dim', index === 0 ? 'observed' : '        ')}  ${line}`),
    ...(isRejected ? [shell.style('dim', 'The agent gets the evidence as feedback and tries again.')] : []),
  ];
}

/** The question of the demo, with a coloured diff. */
export function questionLines(shell: Shell, { question: gate, shown }: OpenApproval): string[] {
  const change = plain(String(fieldOf(shown, 'change'))).split('\n');
  return [oneLine(gate.prompt), ...change.map((line) => `    ${shell.style(line.startsWith('-') ? 'red' : 'green', line)}`)];
}
