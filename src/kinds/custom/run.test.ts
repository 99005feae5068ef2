import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { deploy } from '../../../examples/custom-kind/deploy.ts';
import { licences } from '../../../examples/custom-kind/licences.ts';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createEngine } from '../../api/engine.ts';
import { workflow } from '../../api/workflow.ts';
import { workflowFromYaml, type YamlOptions } from '../../api/yaml.ts';
import type { ResultOf } from '../../authoring/flow/call.ts';
import { defineWorkflow } from '../../compat/index.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { type CustomKind, defineStepKind } from '../../definition/custom-kind.ts';
import { step } from '../step-builder.ts';

const lockfile = (license: string) => (cwd: string) =>
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ packages: { a: { license } } }));

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
    expect(() => step('a').use(double as CustomKind, 'x' as never)).toThrow(
      'step "a" cannot be built: the configuration of "double" is invalid: write a number',
    );
    expect(() => defineWorkflow({ name: 'w', steps: [{ id: 'a', use: double(1), next: { even: null } }] })).toThrow('"even"');
    expect(() => defineWorkflow({ name: 'w', steps: [{ id: 'a', use: 'double' as never, next: null }] })).toThrow(
      '`use` must be a kind of step',
    );
    expect(() => defineStepKind({ ...double, kind: 'a b' })).toThrow('must be a word');
  });

  test('a kind that returns an undeclared outcome is an error', async () => {
    const odd = defineStepKind({ kind: 'odd', parse: () => null, run: () => ({ outcome: 'maybe' as never }) });
    const result = await defineWorkflow({ name: 'w', steps: [{ id: 'a', use: odd(null), next: null }] }).run();
    expect(result.error ?? result.stepResults[0]?.error).toContain('must return { outcome, output }');
  });

  test('is found by its name in the engine, where the workflow has no code', async () => {
    const graph = defineWorkflow({ name: 'w', steps: [{ id: 'a', use: double(2), next: null }] });
    const bare = { ...graph.compiled, code: new Map() };
    const outcomes = async (kinds: Record<string, CustomKind>) => {
      const engine = await createEngine({ workflows: [bare], kinds });
      const view = await (await engine.start(bare)).wait('outside');
      await engine.close({ abort: true });
      return [view.status, view.steps[0]?.output ?? view.steps[0]?.error];
    };
    expect(await outcomes({ double: double as CustomKind })).toEqual(['completed', { doubled: 4 }]);
    expect(await outcomes({ doubel: double as CustomKind })).toEqual([
      'escalated',
      expect.stringContaining('"double", which this engine does not have (did you mean "doubel"?)'),
    ]);
  });
});

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n';

async function viewOf(workflow: CompiledWorkflow, arrange: (cwd: string) => void = () => undefined) {
  const cwd = tempFolder();
  arrange(cwd);
  const engine = await createEngine({ cwd, workflows: [workflow], checks: { licences } });
  const view = await (await engine.start(workflow)).wait('outside');
  await engine.close({ abort: true });
  return view;
}

describe('a workflow file', () => {
  test('names a check of the application, and the engine that was given it runs it', async () => {
    const text = `${HEAD}  - { id: check, type: gate, conditions: [{ check: licences, allow: [MIT] }], on_fail: fail }\n`;
    const workflow = await workflowFromYaml(text);
    const statuses = [await viewOf(workflow, lockfile('MIT')), await viewOf(workflow, lockfile('GPL-3.0'))].map(({ status }) => status);
    expect(statuses).toEqual(['completed', 'failed']);
  });

  test('has stages of a kind of the application, with templates in its configuration and a key for its own outcome', async () => {
    const text = `${HEAD}  - { id: first, type: deploy, with: { to: staging, version: "1" } }
  - { id: again, type: deploy, with: { to: staging, version: "2" }, on_busy: both }
  - { id: never, type: delay, duration: 1h }
  - { id: both, type: parallel, branches: [{ id: other, type: deploy, with: { to: test, version: "{{ outputs.first.version }}.1" } }] }
`;
    const workflow = await workflowFromYaml(text, { kinds: { deploy } });
    const { status, steps } = await viewOf(workflow);
    expect(status).toBe('completed');
    expect(steps.map(({ path, outcome, output }) => [path, outcome, output])).toMatchObject([
      ['first#1', 'ok', { version: '1' }],
      ['again#1', 'busy', { version: '1' }],
      ['both#1/other', 'ok', { version: '1.1' }],
      ['both#1', 'ok', { other: { version: '1.1' } }],
    ]);
    expect(workflow.codeHash).not.toBe((await workflowFromYaml(`${HEAD}  - { id: a, type: delay, duration: 1s }\n`)).codeHash);
  });

  test('is rejected where a configuration is wrong, when it is compiled', async () => {
    const wrong = (stage: string, parts: YamlOptions = { kinds: { deploy }, checks: { licences } }) =>
      workflowFromYaml(`${HEAD}  - ${stage}\n`, { ...parts, file: 'w.yaml' }).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
    expect(await wrong('{ id: a, type: deploy, with: { to: staging } }')).toBe(
      'w.yaml:5:34: stage "a": the configuration of "deploy" is invalid: `to` and `version` must be texts; change the configuration',
    );
    expect(await wrong('{ id: a, type: gate, conditions: [{ check: licences, allow: MIT }] }')).toContain(
      'the fields of the check "licences" are wrong: `allow` must be a list of licences',
    );
    expect(await wrong('{ id: a, type: gate, conditions: [{ check: licences, allow: "{{ params.x }}" }] }')).toContain('no parameter "x"');
    expect(await wrong('{ id: a, type: deploi, with: {} }')).toContain('unknown "type": "deploi" (did you mean "deploy"?)');
    expect(await wrong('{ id: a, type: deploy, on_bussy: fail }')).toContain('did you mean "on_busy"?');
    expect(await wrong('{ id: a, type: deploy }', {})).toContain('unknown "type": "deploy"');
    const agent = defineStepKind({ kind: 'agent', parse: () => null, run: () => ({ outcome: 'ok' as const }) });
    expect(await wrong('{ id: a, type: agent }', { kinds: { agent } })).toContain('"agent" is the name of a built-in kind');
  });
});

const used = () => step('a').use(double, 4);
