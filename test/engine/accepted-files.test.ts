// Protected files that change between an agent's step and a check: the test changes them while the run waits for a signal,
// as a program would that the agent left running.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type Engine, type RunHandle, type RunView, step, workflow } from '../../src/index.ts';
import { commitAll, git } from '../git.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let engine: Engine;
/** What the agent of a step does. */
let scripts: Readonly<Record<string, (request: AgentRequest) => readonly ScriptedMove[]>>;
beforeEach(() => {
  rig = createRig();
  scripts = {};
  put('answer.txt', 'broken\n');
  put('check.sh', 'grep -q fixed answer.txt\n');
});
afterEach(() => rig.close());

function put(path: string, text: string): void {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), text);
}
const write = (path: string, text: string) => (): readonly ScriptedMove[] => [{ do: 'write', path, text }];

async function open(workflows: readonly AnyWorkflow[]): Promise<Engine> {
  const driver = createScriptedDriver((request) => scripts[request.step]?.(request) ?? []);
  engine = await rig.open({
    workflows: [...workflows],
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: driver },
    stages: { check: 'sh check.sh' },
  });
  return engine;
}

/** Runs a workflow to its signal, lets the files change, and goes on. */
async function played(given: AnyWorkflow, meanwhile: () => void): Promise<{ run: RunHandle; view: RunView }> {
  const run = await (await open([given])).start(given);
  await run.wait('idle');
  meanwhile();
  await run.signal('go');
  return { run, view: await run.wait('idle') };
}

const work = { id: 'work', agent: 'dev', prompt: 'Fix it.', next: 'pause' } as const;
const pause = { id: 'pause', signal: 'go', next: 'check' } as const;
const check = { id: 'check', gate: { checks: ['sh check.sh'] }, next: null } as const;
const judged = defineWorkflow({ name: 'judged', steps: [work, pause, check] });
const refused = (...changes: string[]) => ['escalated', expect.stringContaining(`may change them: ${changes.join(', ')};`)];

describe('a gate', () => {
  test('a gate does not run a script that changed after the agent had ended', async () => {
    const { view } = await played(judged, () => put('check.sh', 'true\n'));
    expect([view.status, view.error]).toEqual(refused('check.sh (changed)'));
    expect(view.steps.at(-1)).toMatchObject({
      path: 'check#1',
      evidence: { protected: [{ path: 'check.sh', what: 'changed' }] },
    });
  });

  test('a gate is refused for changed tests that are protected, and for settings that take effect by themselves', async () => {
    put('tests/a.sh', 'true\n');
    const named = defineWorkflow({ name: 'named', protected: ['tests/**'], steps: [work, pause, check] });
    const { view } = await played(named, () => {
      put('tests/a.sh', 'false\n');
      put('tests/b.sh', 'more tests are work\n');
      put('.github/workflows/x.yml', 'on: push\n');
    });
    expect([view.status, view.error]).toEqual(refused('.github/workflows/x.yml (added)', 'tests/a.sh (changed)'));
  });

  test('a gate accepts the files as they are when a person retries it, and later gates do too', async () => {
    const again = { id: 'again', signal: 'again', next: 'last' } as const;
    const twice = defineWorkflow({ name: 'twice', steps: [work, pause, { ...check, next: 'again' }, again, { ...check, id: 'last' }] });
    const { run } = await played(twice, () => put('check.sh', 'true\n'));
    await run.resume({ actor: 'ann', choice: { how: 'retry' } });
    expect((await run.wait('idle')).status).toBe('waiting');
    await run.signal('again');
    expect((await run.wait('idle')).status).toBe('completed');
  });

  test('a gate is refused again after a retry when the files change again', async () => {
    const again = { id: 'again', signal: 'again', next: 'last' } as const;
    const twice = defineWorkflow({ name: 'twice', steps: [work, pause, { ...check, next: 'again' }, again, { ...check, id: 'last' }] });
    const { run } = await played(twice, () => put('check.sh', 'true\n'));
    await run.resume({ actor: 'ann', choice: { how: 'retry' } });
    await run.wait('idle');
    put('check.sh', 'exit 0\n');
    await run.signal('again');
    const view = await run.wait('idle');
    expect([view.status, view.error]).toEqual(refused('check.sh (changed)'));
  });

  test('a gate does not treat a loop of the workflow as a retry by a person', async () => {
    const looped = defineWorkflow({
      name: 'looped',
      steps: [work, pause, { ...check, next: { ok: null, error: { to: 'work', maxIterations: 1 } } }],
    });
    const { run } = await played(looped, () => put('check.sh', 'true\n'));
    await run.signal('go');
    const view = await run.wait('idle');
    expect([view.status, view.steps.map(({ path, outcome }) => `${path} ${outcome}`).slice(2)]).toEqual([
      'escalated',
      ['check#1 error', 'work#2 ok', 'pause#2 ok', 'check#2 error'],
    ]);
  });

  test.each([
    ['a command', { id: 'change', command: 'echo true > check.sh' }],
    ['a function', { id: 'change', handler: () => put('check.sh', 'true\n') }],
  ])('a gate accepts what %s of the workflow changed', async (_what, change) => {
    const changing = defineWorkflow({ name: 'changing', steps: [{ ...work, next: 'change' }, { ...change, next: 'pause' }, pause, check] });
    expect((await played(changing, () => undefined)).view.status).toBe('completed');
  });

  test('a gate accepts what an agent may change, and nothing else after it', async () => {
    const allowed = defineWorkflow({ name: 'allowed', steps: [{ ...work, mayChange: ['check.sh'] }, pause, check] });
    scripts = { work: write('check.sh', 'true\n') };
    expect((await played(allowed, () => undefined)).view.status).toBe('completed');
    const { view } = await played(allowed, () => put('check.sh', 'exit 0\n'));
    expect([view.status, view.error]).toEqual(refused('check.sh (changed)'));
  });

  test('a gate accepts what parallel agents may change, each in its own checkout', async () => {
    git(rig.directory, 'init', '--quiet');
    put('.gitignore', 'pawl.db*\n');
    put('two.sh', 'false\n');
    commitAll(rig.directory, 'first');
    const apart = defineWorkflow({
      name: 'apart',
      steps: [
        {
          id: 'both',
          parallel: {
            branches: [
              { id: 'one', agent: 'dev', prompt: 'One.', mayChange: ['check.sh'] },
              { id: 'two', agent: 'dev', prompt: 'Two.', mayChange: ['two.sh'] },
            ],
          },
          next: 'check',
        },
        { id: 'check', gate: { checks: ['sh check.sh', 'sh two.sh'] }, next: null },
      ],
    });
    scripts = { one: write('check.sh', 'true\n'), two: write('two.sh', 'true\n') };
    const view = await (await (await open([apart])).start(apart)).wait('idle');
    expect([view.status, view.error]).toEqual(['completed', undefined]);
  });

  test('a gate protects a test that an agent added from then on', async () => {
    const named = defineWorkflow({ name: 'named', protected: ['tests/**'], steps: [work, pause, check] });
    scripts = { work: write('tests/new.sh', 'false\n') };
    const { view } = await played(named, () => put('tests/new.sh', 'true\n'));
    expect([view.status, view.error]).toEqual(refused('tests/new.sh (changed)'));
  });

  test('a gate in a flow compares the named files, and accepts what a function changed', async () => {
    const flow = workflow('flow', function* () {
      yield* step('work').agent({ agent: 'dev', prompt: 'Fix it.' });
      yield* step('change').task(() => put('.npmrc', 'loglevel=error\n'));
      yield* step('first').gate({ checks: ['true'] });
      yield* step('pause').signal('go');
      yield* step('check').gate({ checks: ['true'] });
    });
    const { view } = await played(flow, () => put('.npmrc', 'script-shell=/bin/true\n'));
    expect([view.status, view.error]).toEqual([
      'failed',
      expect.stringContaining(
        '"check" was not checked, because protected files changed outside of the steps that may change them: .npmrc (changed)',
      ),
    ]);
  });
});

test('a validation compares the files as well', async () => {
  const validated = defineWorkflow({
    name: 'validated',
    steps: [work, { ...pause, next: 'validate' }, { id: 'validate', validate: { stages: ['check'] }, next: null }],
  });
  const { view } = await played(validated, () => put('check.sh', 'true\n'));
  expect([view.status, view.error]).toEqual(refused('check.sh (changed)'));
});

describe('runs of one family', () => {
  const child = defineWorkflow({ name: 'child', steps: [{ ...check, id: 'inner' }] });
  const judgedByChild = (name: string, steps: readonly object[]) =>
    defineWorkflow({ name, steps: [...steps, { id: 'child', workflow: child, next: null }] as never });

  const childOf = async ({ id }: RunHandle): Promise<unknown[]> => {
    const [summary] = await engine.list({ parent: id });
    const view = await engine.run(summary?.id ?? '').wait('idle');
    return [view.status, view.error];
  };

  test('an agent may not change what a gate of a child runs', async () => {
    scripts = { work: write('check.sh', 'true\n') };
    const parent = judgedByChild('parent', [{ ...work, next: 'child' }]);
    const view = await (await (await open([parent])).start(parent)).wait('idle');
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('check.sh (changed)')]);
    expect(view.steps.map(({ step: id }) => id)).not.toContain('child');
  });

  test('a gate of a child does not run what changed before it began', async () => {
    const parent = judgedByChild('parent', [work, { ...pause, next: 'child' }]);
    const { run } = await played(parent, () => put('check.sh', 'true\n'));
    expect(await childOf(run)).toEqual(refused('check.sh (changed)'));
  });

  test('an agent of a child may not change what a gate of its parent runs', async () => {
    const inner = defineWorkflow({ name: 'inner', steps: [{ id: 'edit', agent: 'dev', prompt: 'Edit.', next: null }] });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [{ ...work, next: 'child' }, { id: 'child', workflow: inner, next: 'check' }, check],
    });
    scripts = { work: write('answer.txt', 'fixed\n'), edit: write('check.sh', 'true\n') };
    const run = await (await open([parent, inner])).start(parent);
    await run.wait('idle');
    expect(await childOf(run)).toEqual([
      'escalated',
      expect.stringContaining('during step "edit", so its result was discarded: check.sh (changed)'),
    ]);
  });

  test('a gate of a parent accepts what an agent of a child may change', async () => {
    const inner = defineWorkflow({
      name: 'inner',
      steps: [{ id: 'edit', agent: 'dev', prompt: 'Edit.', mayChange: ['check.sh'], next: null }],
    });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [{ ...work, next: 'child' }, { id: 'child', workflow: inner, next: 'check' }, check],
    });
    scripts = { edit: write('check.sh', 'true\n') };
    expect((await (await (await open([parent, inner])).start(parent)).wait('idle')).status).toBe('completed');
  });
});
