// What the engine does with agents that touch what judges them, in whole runs: the evidence goes back to the agent, and
// then to a person.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type Script } from '../../src/agents/scripted.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { EngineOptions, RunView } from '../../src/index.ts';
import { hostileScript } from '../../src/proof/index.ts';
import { createRig, type Rig } from '../engine/rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
  put('work/tests/run.sh', 'grep -q fixed answer.txt\n');
  put('work/answer.txt', 'broken\n');
});
afterEach(() => rig.close());

function put(path: string, text: string): void {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), text);
}
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.path('work'), encoding: 'utf8' });

const mending = defineWorkflow({
  name: 'mending',
  steps: [
    { id: 'mend', agent: 'dev', prompt: 'Mend the answer.', next: 'check' },
    { id: 'check', gate: { checks: ['sh tests/run.sh'] }, next: null },
  ],
});

async function run(script: Script, options: EngineOptions = {}): Promise<RunView> {
  const engine = await rig.open({
    workflows: [mending],
    cwd: rig.path('work'),
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: createScriptedDriver(script) },
    protected: ['tests/**'],
    ...options,
  });
  const handle = await engine.start(mending);
  return await handle.wait('idle');
}

describe('an agent that changes a protected test', () => {
  test('an agent that changes a protected test is told what to restore, and continues when it has', async () => {
    const asked: AgentRequest[] = [];
    const view = await run((request) => {
      asked.push(request);
      const text = asked.length === 1 ? 'exit 0\n' : 'grep -q fixed answer.txt\n';
      return [
        { do: 'write', path: 'tests/run.sh', text },
        { do: 'write', path: 'answer.txt', text: 'fixed\n' },
      ];
    });
    expect(view.steps.map(({ path, attempt, outcome }) => [path, attempt, outcome])).toEqual([
      ['mend#1', 1, undefined],
      ['mend#1', 2, 'ok'],
      ['check#1', 1, 'ok'],
    ]);
    expect(asked[1]?.prompt).toContain('Previous attempt failed: protected files were changed during step "mend"');
    expect(asked[1]?.prompt).toContain('tests/run.sh (changed)');
    expect(view.steps[0]).toMatchObject({ claim: { success: true }, evidence: { protected: [{ path: 'tests/run.sh', what: 'changed' }] } });
  });

  test('an agent that changes a protected test twice escalates the run, and no gate runs', async () => {
    const view = await run(() => [{ do: 'write', path: 'tests/run.sh', text: 'exit 0\n' }]);
    expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('tests/run.sh (changed)') });
    expect(view.steps.map(({ step }) => step)).toEqual(['mend', 'mend']);
  });
});

test('an agent that keeps writing after its claim leaves the gate without a verdict', async () => {
  put('work/tests/run.sh', 'until [ "$(cat answer.txt)" != fixed ]; do :; done\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  const ended = new AbortController();
  const claim = { kind: 'answered', success: true, output: null } as const;
  const target = { definition: mending.definition, step: 'mend', claim, ended: ended.signal, onHang: () => undefined };
  put('work/answer.txt', 'fixed');
  const view = await run(hostileScript('leaves-a-daemon', target));
  ended.abort();
  // How the file differs depends on the moment; that the gate has no verdict and names it does not.
  const moved = 'has no verdict, because files changed while it checked them: answer.txt';
  expect(view.steps.at(-1)).toMatchObject({ step: 'check', error: expect.stringContaining(moved) });
  expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('files changed while it checked them') });
});
