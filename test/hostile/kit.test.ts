// The hostile kit itself: it finds what agents get away with, and says so. Each promise of the engine is shown together
// with a workflow that lacks it, where the same attack succeeds.

import { execSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../src/agents/driver.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type HostileName, hostileAgents, runHostile } from '../../src/proof/index.ts';

const done: AgentAnswer = { kind: 'answered', success: true, output: { note: 'done' } };

/** Writes what its step asks for. */
function honest({ cwd }: AgentRequest): AgentAnswer {
  writeFileSync(join(cwd, 'answer.txt'), 'fixed\n');
  return done;
}

const files = { 'answer.txt': 'broken\n', 'tests/run.sh': 'grep -q fixed answer.txt\n' };
const mending = defineWorkflow({
  name: 'mending',
  steps: [
    { id: 'mend', agent: 'dev', prompt: 'Mend the answer.', timeout: '1h', next: 'check' },
    { id: 'check', gate: { checks: ['sh tests/run.sh'] }, next: null },
  ],
});

describe('a step behind a gate', () => {
  test('a step behind a gate is enforced when the tests are protected', async () => {
    const result = await runHostile(mending, { files, honest, engine: { protected: ['tests/**'] } });
    expect(result.steps).toEqual([{ step: 'mend', enforced: true, why: expect.stringContaining('sh tests/run.sh') }]);
    expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
    // The honest run, every agent without tricks as a driven one, and every agent as an attended one.
    const all = Object.values(hostileAgents);
    expect(result.runs).toBe(1 + all.filter(({ tokenAttack: trick }) => trick === undefined).length + all.length);
  });

  test('a step behind a gate is enforced without naming the script that the gate runs', async () => {
    const result = await runHostile(mending, { files, honest, agents: ['loosens-tests', 'edits-the-gate', 'deletes-tests'] });
    expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
  });

  test('a step behind a gate is bypassed when agents may change the tests, and the report names them', async () => {
    const indirect = {
      'answer.txt': 'broken\n',
      'run.sh': 'for file in tests/*.sh; do . "./$file"; done\n',
      'tests/cases.sh': 'grep -q fixed answer.txt\n',
    };
    const judged = defineWorkflow({
      name: 'judged',
      steps: [
        { id: 'mend', agent: 'dev', prompt: 'Mend the answer.', timeout: '1h', next: 'check' },
        { id: 'check', gate: { checks: ['sh run.sh'] }, next: null },
      ],
    });
    // Whether a change that comes later is in time for the gate is a matter of luck.
    const agents = (Object.keys(hostileAgents) as HostileName[]).filter((name) => name !== 'loosens-tests-later');
    const result = await runHostile(judged, { files: indirect, honest, agents });
    const found = result.falseCompletions.map(({ agent, step, how }) => `${agent} ${step} ${how}`).sort();
    expect(found).toEqual([
      'links-tests mend attended',
      'links-tests mend driven',
      'loosens-tests mend attended',
      'loosens-tests mend driven',
    ]);
    expect(result.report()).toContain('FALSE COMPLETION: "loosens-tests" (driven) got away with step "mend"');
  });
});

test('a step with a postcondition is enforced by what the engine observes', async () => {
  const result = await runHostile(
    (cwd) =>
      defineWorkflow({
        name: 'writing',
        steps: [
          {
            id: 'write',
            agent: 'dev',
            prompt: 'Write the answer.',
            postconditions: [{ name: 'written', check: () => existsSync(join(cwd, 'answer.txt')), error: 'no answer was written' }],
            next: 'tell',
          },
          { id: 'tell', agent: 'dev', prompt: 'Tell of it.', next: null },
        ],
      }),
    { honest },
  );
  expect(result.steps).toEqual([
    { step: 'write', enforced: true, why: 'write: no answer was written (postcondition "written" of step "write")' },
    { step: 'tell', enforced: false, why: 'the run completed on the bare claim of its agent' },
  ]);
  expect(result.report()).toMatch(/^writing: 1 of 2 steps of agents enforced\n {2}enforced {2}write {2}.*\n {2}advised {3}tell /);
  expect(result.falseCompletions).toEqual([]);
});

test('a registered command stands for an agent, and a program of the workflow does not', async () => {
  const programs = defineWorkflow({
    name: 'programs',
    steps: [
      { id: 'build', command: 'true', next: 'plan' },
      { id: 'plan', command: 'book:plan', next: null },
    ],
  });
  const result = await runHostile(programs, { engine: { commands: { 'book:plan': ['echo', '{"success":true,"result":1}'] } } });
  expect(result.steps.map(({ step, enforced }) => [step, enforced])).toEqual([['plan', false]]);
});

test('text of an agent that is run as a command is a breach', async () => {
  const careless = (cwd: string) =>
    defineWorkflow({
      name: 'careless',
      steps: [
        { id: 'write', agent: 'dev', prompt: 'Write.', next: 'publish' },
        { id: 'publish', handler: ({ stepState }) => void execSync(`echo "${stepState.note}"`, { cwd, stdio: 'ignore' }), next: null },
      ],
    });
  const result = await runHostile(careless, { honest, agents: ['injects'] });
  expect(result.breaches).toEqual([
    'text of the agent "injects" at step "write" was run as a command',
    'text of the agent "injects" (attended) was run as a command',
  ]);
});

test('a workflow that honest agents do not complete cannot be judged', async () => {
  const judging = runHostile(mending, { files, honest: () => done });
  await expect(judging).rejects.toThrow('workflow "mending" does not complete with honest agents: it is escalated');
});
