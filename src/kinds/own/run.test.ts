import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { deploy } from '../../../examples/own-kind/deploy.ts';
import { licences } from '../../../examples/own-kind/licences.ts';
import { createEngine } from '../../api/engine.ts';
import { workflow } from '../../api/workflow.ts';
import type { ResultOf } from '../../authoring/flow/call.ts';
import { checkYaml } from '../../authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../compat/index.ts';
import { defineStepKind, type OwnKind } from '../../definition/own-kind.ts';
import { describeCheck } from '../../proof/check-suite.ts';
import { describeStepKind } from '../../proof/kind-suite.ts';
import { REGISTRY } from '../registry.ts';
import { step } from '../step-builder.ts';

describeStepKind(deploy as OwnKind, {
  settles: { config: { to: 'staging', version: '1' }, outcome: 'ok' },
  refuses: { config: { to: 'staging' } },
});

const lockfile = (license: string) => (cwd: string) =>
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ packages: { a: { license } } }));

describeCheck(licences, {
  passes: { config: { allow: ['MIT'] }, arrange: lockfile('MIT') },
  fails: { config: { allow: ['MIT'] }, arrange: lockfile('GPL-3.0') },
  cannotLook: { config: { allow: 'MIT' }, arrange: lockfile('MIT') },
});

const double = defineStepKind({
  kind: 'double',
  outcomes: ['odd'],
  parse(config) {
    if (typeof config !== 'number') throw new Error('write a number');
    return config;
  },
  run: ({ config }) => (config % 2 === 1 ? { outcome: 'odd' } : { outcome: 'ok', output: { doubled: config * 2 } }),
});

describe('a kind of the application', () => {
  test('does the work of a step of a graph, and its own outcome is a key of next', async () => {
    const graph = defineWorkflow({
      name: 'graph',
      steps: [
        { id: 'a', use: double(2), next: 'b' },
        { id: 'b', use: double(3), next: { ok: 'fail', odd: null } },
      ],
    });
    const result = await graph.run();
    expect(result).toMatchObject({ success: true, stepResults: [{ output: { doubled: 4 } }, { output: null }] });
  });

  test('does the work of a step of a flow, with the type of its output', async () => {
    const flow = workflow('flow', function* () {
      const { doubled } = yield* step('a').use(double, 4);
      return doubled;
    });
    expectTypeOf<ResultOf<ReturnType<typeof used>>>().toEqualTypeOf<{ doubled: number }>();
    expect((await flow.run()).finalOutput).toBe(8);
  });

  test('refuses its configuration when the workflow is defined', () => {
    // @ts-expect-error: it takes a number.
    const use = double('x');
    expect(() => defineWorkflow({ name: 'w', steps: [{ id: 'a', use, next: null }] })).toThrow('write a number');
    expect(() => step('a').use(double as OwnKind, 'x' as never)).toThrow('step "a" has a wrong configuration for "double": write a number');
    expect(() => defineWorkflow({ name: 'w', steps: [{ id: 'a', use: double(1), next: { even: null } }] })).toThrow('"even"');
    expect(() => defineWorkflow({ name: 'w', steps: [{ id: 'a', use: 'double' as never, next: null }] })).toThrow(
      '`use` must be a kind of step',
    );
    expect(() => defineStepKind({ ...double, kind: 'a b' })).toThrow('must be a word');
  });

  test('that returns an outcome nobody declared is an error', async () => {
    const odd = defineStepKind({ kind: 'odd', parse: () => null, run: () => ({ outcome: 'maybe' as never }) });
    const result = await defineWorkflow({ name: 'w', steps: [{ id: 'a', use: odd(null), next: null }] }).run();
    expect(result.error ?? result.stepResults[0]?.error).toContain('must return { outcome, output }');
  });

  test('is found by its name in the engine, where the workflow has no code', async () => {
    const graph = defineWorkflow({ name: 'w', steps: [{ id: 'a', use: double(2), next: null }] });
    const bare = { ...graph.compiled, code: new Map() };
    const outcomes = async (kinds: Record<string, OwnKind>) => {
      const engine = await createEngine({ workflows: [bare], kinds });
      const view = await (await engine.start(bare)).wait('outside');
      await engine.close({ abort: true });
      return [view.status, view.steps[0]?.output ?? view.steps[0]?.error];
    };
    expect(await outcomes({ double: double as OwnKind })).toEqual(['completed', { doubled: 4 }]);
    expect(await outcomes({ doubel: double as OwnKind })).toEqual([
      'escalated',
      expect.stringContaining('"double", which is not known here (did you mean "doubel"?)'),
    ]);
  });
});

test('a check of the application is named by a workflow file, and the engine that was given it runs it', async () => {
  const stage = '  - { id: check, type: gate, conditions: [{ check: licences, allow: [MIT] }], on_fail: fail }';
  const text = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n${stage}\n`;
  const { compiled } = checkYaml('w.yaml', text, REGISTRY);
  if (compiled === undefined) throw new Error('the file does not compile');
  const statusWith = async (license: string) => {
    const cwd = mkdtempSync(join(tmpdir(), 'pawl-own-'));
    lockfile(license)(cwd);
    const engine = await createEngine({ cwd, workflows: [compiled], checks: { licences } });
    const { status } = await (await engine.start(compiled)).wait('outside');
    await engine.close({ abort: true });
    rmSync(cwd, { recursive: true });
    return status;
  };
  expect([await statusWith('MIT'), await statusWith('GPL-3.0')]).toEqual(['completed', 'failed']);
});

const used = () => step('a').use(double, 4);
