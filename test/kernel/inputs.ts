// Owns short spellings of inputs, and the list of everything that could happen to a run as it stands.

import type { StepModel } from '../../src/definition/model.ts';
import { isHalted } from '../../src/definition/run-status.ts';
import { dueOf } from '../../src/engine/status.ts';
import type { Activation } from '../../src/kernel/activation.ts';
import { slotsOf, waitOf } from '../../src/kernel/activation.ts';
import type { ControlAction, RunInput, StepError } from '../../src/kernel/input.ts';
import type { Program } from '../../src/kernel/program.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import type { MemoryHost } from './memory-host.ts';

/** An attempt came to an end that the engine observed. */
export function settled(host: MemoryHost, path: string, given: { outcome?: string; output?: string | object; at?: number } = {}): RunInput {
  const ref = given.output === undefined ? undefined : host.view.keep(given.output as never);
  const { attempt } = host.at(path);
  const at = given.at ?? host.state.at;
  return { type: 'settled', at, path, attempt, outcome: given.outcome ?? 'ok', ...(ref === undefined ? {} : { output: ref }) };
}

/** An attempt broke. */
export function errored(host: MemoryHost, path: string, error: Partial<StepError> = {}): RunInput {
  return { type: 'errored', at: host.state.at, path, attempt: host.at(path).attempt, error: stepFailure(error) };
}

/** The error of a failed attempt. */
export function stepFailure(error: Partial<StepError> = {}): StepError {
  return { code: 'STEP_FAILED', message: 'boom', reason: 'error', ...error };
}

/** A person chose, having seen what is shown. */
export function decided(host: MemoryHost, path: string, given: { option: string; digest?: string; at?: number; text?: string }): RunInput {
  const { option, text } = given;
  const digest = given.digest ?? host.at(path).wait?.digest ?? '';
  return { type: 'decided', at: given.at ?? host.state.at, path, option, digest, actor: 'ann', ...(text === undefined ? {} : { text }) };
}

/** Somebody steers the run. */
export function control(host: MemoryHost, action: ControlAction): RunInput {
  return { type: 'control', at: host.state.at, actor: 'ann', action };
}

const OUTCOMES = ['ok', 'fail', 'iterate', 'reject', 'skip'];
const TROUBLES: readonly StepError[] = [
  stepFailure(),
  stepFailure({ reason: 'contract', message: 'the promise is broken' }),
  stepFailure({ reason: 'precondition' }),
  stepFailure({ retryable: false }),
  stepFailure({ reason: 'timeout' }),
];

/** Everything that can bring a run on as it stands; a run for which this is empty is over. */
export function progress(run: RunState, program: Program): RunInput[] {
  const inputs = Object.values(run.live).flatMap((activation) => progressOf(run, activation, program.model(activation.step)));
  const due = dueOf(run);
  if (due !== undefined) inputs.push({ type: 'due', at: due });
  if (run.paused) inputs.push({ type: 'control', at: run.at, actor: 'ann', action: { do: 'unpause' } });
  if (isHalted(run.status)) inputs.push(...waysOn(run));
  return inputs;
}

function progressOf(run: RunState, activation: Activation, model: StepModel): RunInput[] {
  const { path, attempt, state } = activation;
  const of = { at: run.at, path, attempt };
  switch (state) {
    case 'queued':
      return slotsOf(activation) === undefined || run.paused ? [] : [{ type: 'slot', at: run.at, path }];
    case 'preparing':
      return [
        { type: 'prepared', ...of },
        { type: 'errored', ...of, error: stepFailure({ reason: 'precondition' }) },
      ];
    case 'running':
      return endsOf(activation, of);
    case 'verifying':
    case 'reconciling':
      return verdictsOf(activation, of);
    case 'waiting':
      return answersOf(run, activation, model);
    case 'unknown':
      return (['rerun', 'accept', 'fail'] as const).map((how) => ({
        type: 'control',
        at: run.at,
        actor: 'ann',
        action: { do: 'resolve', path, how },
      }));
  }
}

type Attempt = { readonly at: number; readonly path: string; readonly attempt: number };

function endsOf(activation: Activation, of: Attempt): RunInput[] {
  const outcomes = activation.kind === 'delay' ? ['ok', 'fail'] : OUTCOMES;
  const ends = outcomes.map((outcome): RunInput => ({ type: 'settled', ...of, outcome }));
  return [...ends, ...TROUBLES.map((error): RunInput => ({ type: 'errored', ...of, error }))];
}

function verdictsOf(activation: Activation, of: Attempt): RunInput[] {
  const verdicts: RunInput[] = [
    { type: 'settled', ...of, outcome: 'ok' },
    { type: 'errored', ...of, error: stepFailure({ reason: 'contract' }) },
  ];
  return activation.state === 'reconciling' ? [...verdicts, { type: 'prepared', ...of }] : verdicts;
}

function answersOf(run: RunState, activation: Activation, model: StepModel): RunInput[] {
  const { path } = activation;
  const wait = waitOf(activation);
  const at = run.at;
  if (wait?.kind === 'human')
    return (model.question?.options ?? []).map(({ label }) => ({
      type: 'decided',
      at,
      path,
      option: label,
      digest: wait.digest ?? '',
      actor: 'ann',
      text: 'x',
    }));
  if (wait?.kind === 'signal') return [{ type: 'signalled', at, name: wait.name }];
  if (wait?.kind !== 'child') return [];
  const statuses = ['completed', 'failed', 'rejected', 'cancelled'] as const;
  return statuses.map((status) => ({ type: 'childEnded', at, path, child: wait.run, status }));
}

function waysOn(run: RunState): RunInput[] {
  const ways: ControlAction[] = run.halt?.reason === 'exhausted' ? [{ do: 'retry', extend: 1 }] : [{ do: 'retry' }, { do: 'accept' }];
  return ways.map((action) => ({ type: 'control', at: run.at, actor: 'ann', action }));
}
