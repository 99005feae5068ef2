import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryDefinition, arbitraryParams } from '../../test/kernel/arbitrary-definition.ts';
import { progress, stepFailure } from '../../test/kernel/inputs.ts';
import { Ledger } from '../../test/kernel/ledger.ts';
import { type MemoryHost, openGraph } from '../../test/kernel/memory-host.ts';
import type { Ref } from '../base/digest.ts';
import type { GraphDefinition } from '../definition/model.ts';
import { isFinal, isHalted } from '../definition/run-status.ts';
import { lastEndOf } from '../engine/request/assumptions.ts';
import { humanWaitOf } from './activation.ts';
import { applyRow } from './apply.ts';
import type { ControlAction, RunInput } from './input.ts';
import type { RunState } from './run-state.ts';

const RUNS = Number(process.env.KERNEL_RUNS ?? 400);

interface Pick {
  readonly noise: number;
  readonly index: number;
  readonly wait: number;
}

const picks = fc.array(fc.record({ noise: fc.nat(9), index: fc.nat(1000), wait: fc.nat(30) }), { minLength: 1, maxLength: 60 });

/** Things that come at the wrong time, twice, or from people who did not look. */
function noise(host: MemoryHost, definition: GraphDefinition, past: readonly RunInput[]): RunInput[] {
  const { at } = host.state;
  const steer = (action: ControlAction): RunInput => ({ type: 'control', at, actor: 'bob', action });
  const steps = definition.steps.map(({ id }) => id);
  const questions = Object.values(host.state.live).filter((activation) => humanWaitOf(activation) !== undefined);
  return [
    { type: 'recovered', at },
    { type: 'signalled', at, name: 'go' },
    { type: 'due', at },
    steer({ do: 'pause' }),
    steer({ do: 'unpause' }),
    steer({ do: 'retry' }),
    steer({ do: 'retry', extend: 0 }),
    steer({ do: 'accept' }),
    ...steps.map((step) => steer({ do: 'goto', step, passed: [] })),
    ...steps.map((step, rule) => steer({ do: 'back', step, rule, max: 1 })),
    ...steps.slice(0, 2).map((step) => steer({ do: 'wake', note: { event: 'push', text: 'x' }, back: { step, rule: 9, max: 1 } })),
    steer({ do: 'wake', note: { event: 'push', text: 'x' } }),
    steer({ do: 'recheckGates' }),
    steer({ do: 'halt', limit: 'turns', message: 'a limit' }),
    ...past.slice(-12),
    ...past.slice(-4).map((input) => ({ ...input, at })),
    ...questions.map(({ path }): RunInput => ({ type: 'decided', at, path, option: 'yes', digest: 'seen before', actor: 'bob' })),
    ...assuming(host),
    { type: 'settled', at, path: 's0#1', attempt: 1, outcome: 'ok' },
    { type: 'prepared', at, path: 's0#1', attempt: 1 },
    { type: 'errored', at, path: 's0#1', attempt: 1, error: stepFailure() },
    { type: 'childEnded', at, path: 's0#1', child: 'stranger', status: 'completed' },
    steer({ do: 'cancel' }),
  ];
}

/** Workers assume things, also twice, and people answer them, also late. */
function assuming(host: MemoryHost): RunInput[] {
  const { at, live, assumptions = [] } = host.state;
  const log = host.rows.flat();
  const assumed = host.view.keep([
    { question: 'Which?', assumed: 'this', severity: 'MUST' },
    { question: 'How many?', assumed: 'two', severity: 'COULD' },
  ]) as Ref;
  const answers = assumptions.slice(-4).flatMap(({ id, path, within }) =>
    [true, false].map((agrees): RunInput => {
      const place = lastEndOf(log, within ?? path);
      return {
        type: 'control',
        at,
        actor: 'bob',
        action: { do: 'answer', assumption: id, agrees, ...(place === undefined ? {} : { place }) },
      };
    }),
  );
  const working = Object.values(live).filter(({ state }) => state === 'running');
  return [
    ...working.map(({ path, attempt }): RunInput => ({ type: 'assumed', at, path, attempt, assumed })),
    ...working.map(({ path, attempt }): RunInput => ({ type: 'settled', at, path, attempt, outcome: 'ok', assumed })),
    ...answers,
  ];
}

function inputFor(host: MemoryHost, definition: GraphDefinition, given: { pick: Pick; past: readonly RunInput[] }): RunInput {
  const { pick, past } = given;
  const useful = progress(host.state, host.program);
  const choices = pick.noise < 3 || useful.length === 0 ? noise(host, definition, past) : useful;
  const input = choices[pick.index % choices.length] as RunInput;
  return { ...input, at: Math.max(input.at, host.state.at) + (input.type === 'due' ? 0 : pick.wait) };
}

/** Gives the run one input after the other and throws at the first thing that is wrong. */
function drive(definition: GraphDefinition, params: { flag: boolean; items: string[]; none: null }, schedule: readonly Pick[]): MemoryHost {
  const host = openGraph(definition, params);
  const ledger = new Ledger(host, definition.steps);
  const past: RunInput[] = [{ type: 'start', at: 0 }];
  expect(ledger.take(past[0] as RunInput)).toEqual([]);
  for (const pick of schedule) {
    const stopping = pick.noise === 3;
    if (stopping) host.view.holding = true;
    else if (host.view.holding) {
      host.view.holding = false;
      expect(ledger.take({ type: 'recovered', at: host.state.at })).toEqual([]);
    }
    const input = inputFor(host, definition, { pick, past });
    past.push(input);
    expect({ input, faults: ledger.take(input) }).toEqual({ input, faults: [] });
  }
  if (host.view.holding) {
    host.view.holding = false;
    expect(ledger.take({ type: 'recovered', at: host.state.at })).toEqual([]);
  }
  return host;
}

describe('whatever the definition and whatever comes', () => {
  test('no path is lost, doubled or stuck, bounds hold, a final run is silent, and decide changes nothing it was given', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryParams, picks, (definition, params, schedule) => {
        drive(definition, params, schedule);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  test('folding the log from the first event gives the checkpoint (K4)', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryParams, picks, (definition, params, schedule) => {
        const host = drive(definition, params, schedule);
        const log = JSON.parse(JSON.stringify(host.rows)) as typeof host.rows;
        const folded = log.reduce<RunState | undefined>((run, row) => applyRow(run, row), undefined);
        expect(folded).toEqual(host.state);
      }),
      { numRuns: RUNS / 4 },
    );
  }, 600_000);

  test('a run without requests from outside ends or halts', () => {
    fc.assert(
      fc.property(arbitraryDefinition, arbitraryParams, fc.infiniteStream(fc.nat(1000)), (definition, params, stream) => {
        const host = openGraph(definition, params);
        host.take({ type: 'start', at: 0 });
        for (let taken = 0; taken < 3_000; taken += 1) {
          if (isFinal(host.state.status) || isHalted(host.state.status)) return;
          const inputs = progress(host.state, host.program).filter((input) => !isDetour(input));
          host.take(inputs[(stream.next().value as number) % inputs.length] as RunInput);
        }
        throw new Error(`still ${host.state.status} after 3000 inputs: ${JSON.stringify(host.state)}`);
      }),
      { numRuns: RUNS / 2 },
    );
  }, 600_000);
});

/** A person may go back as often as they like, and a poll may be told to wait; neither is the run's doing. */
function isDetour(input: RunInput): boolean {
  return input.type === 'decided' && input.option === 'jump';
}
