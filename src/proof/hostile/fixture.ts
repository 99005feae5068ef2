// Owns the surroundings of hostile runs. Each run has its own workspace and engine, and everyone trusts the agent: people
// approve whatever they are asked, and time passes when the run waits for it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngine, type Engine } from '../../api/engine.ts';
import type { EngineOptions } from '../../api/engine-options.ts';
import type { RunHandle } from '../../api/run.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { RunView } from '../../engine/inspect.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';
import type { Attack } from './attack.ts';

/** The surroundings of one run. */
export interface HostileFixture {
  readonly engine: Engine;
  /** The workspace. */
  readonly cwd: string;
  /** Advanced by the test. A fixture without a clock does not wait for time limits and delays. */
  readonly clock?: VirtualClock;
  start(): Promise<RunHandle>;
  /** Does the work outside the run that it waits for, such as a review at the forge. */
  idle?(view: RunView): Promise<void>;
  close(): Promise<void>;
}

/** The inputs of a plain fixture. */
export interface FixtureOptions {
  /** The initial files of the workspace: the text by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly params?: JsonObject;
  readonly facts?: JsonObject;
  readonly engine?: EngineOptions;
}

// Long ago, so that a report that is written during the run is newer than the gate that reads it.
const START = Date.UTC(2020, 0, 1);
const TURNS_MAX = 200;
const LOOKS_MAX = 2000;

/** Opens a workspace in the folder of the attack, and an in-memory engine for it. */
export async function openFixture(attack: Attack, options: FixtureOptions): Promise<HostileFixture> {
  const { files = {}, params = {}, facts = {} } = options;
  const { cwd } = attack;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const clock = createVirtualClock(START);
  const { commands = {}, roles, ...rest } = options.engine ?? {};
  const engine = await createEngine({
    db: ':memory:',
    clock,
    ...rest,
    cwd,
    workflows: [attack.workflow],
    roles: { ...roles, ...attack.roles },
    drivers: attack.drivers,
    commands: attack.commands(commands),
  });
  return {
    engine,
    cwd,
    clock,
    start: () => engine.start(attack.workflow, withText(attack, params), { facts: { ...facts, ...attack.facts } }),
    close: () => engine.close({ abort: true }),
  };
}

/** The parameters, with hostile text if one accepts any text. */
function withText(
  { text, workflow }: { readonly text: string | undefined; readonly workflow: CompiledWorkflow },
  params: JsonObject,
): JsonObject {
  if (text === undefined) return params;
  const isFree = (name: string): boolean => workflow.definition.params[name]?.choices === undefined;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' && isFree(name) ? text : value]),
  );
}

const ENDED: ReadonlySet<RunView['status']> = new Set(['completed', 'rejected', 'cancelled', 'failed', 'escalated']);

/** Drives a run until it has ended, is stuck, or waits for something that the fixture does not do. */
export async function driveRun(fixture: HostileFixture, run: RunHandle, stuck: Promise<void>): Promise<RunView> {
  const idle = (): Promise<RunView | undefined> => Promise.race([run.wait('idle').catch(() => undefined), stuck.then(() => undefined)]);
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const view = await idle();
    if (view === undefined || ENDED.has(view.status) || !(await endWait(fixture, view))) break;
  }
  return await fixture.engine.run(run.id).get();
}

/** Does what a run waits for. Returns false if the fixture cannot. */
async function endWait(fixture: HostileFixture, view: RunView): Promise<boolean> {
  const [wait] = view.waits;
  const { engine, clock } = fixture;
  if (wait?.kind === 'report') return false;
  if (wait?.kind === 'human') return await approve(engine, view.id);
  const { seq } = (await engine.store.load(view.id)).state;
  if (wait?.kind === 'delay' && wait.due !== undefined && clock !== undefined) clock.advance(wait.due - clock.now());
  else if (fixture.idle !== undefined && wait !== undefined) await fixture.idle(view);
  else return false;
  for await (const _ of engine.run(view.id).log(seq)) return true;
  return false;
}

async function approve(engine: Engine, run: string): Promise<boolean> {
  const [approval] = await engine.run(run).approvals();
  const option = approval?.question.options[0];
  if (approval === undefined || option === undefined) return false;
  const input = option.requiresInput ? { input: 'yes' } : {};
  await engine.run(run).decide({ option: option.label, actor: 'a trusting person', digest: approval.digest, ...input });
  return true;
}

/** Advances the clock past the time limit of a hung attempt; returns false if it has none. */
export async function passTime({ clock }: HostileFixture): Promise<boolean> {
  for (let look = 0; look < LOOKS_MAX && clock?.next() === undefined; look += 1) await new Promise(setImmediate);
  const next = clock?.next();
  if (clock === undefined || next === undefined) return false;
  clock.advance(next - clock.now());
  return true;
}
