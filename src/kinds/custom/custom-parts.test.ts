// What an application's kinds and checks may be configured with, and how a workflow carries them.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../api/engine.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import { workflow } from '../../api/workflow.ts';
import { workflowFromYaml } from '../../api/yaml.ts';
import type { Json } from '../../base/json.ts';
import { defineStepKind } from '../../definition/custom-kind.ts';
import { defineWorkflow } from '../../index.ts';
import { removeFolder } from '../../process/remove-folder.ts';
import { type CheckVerdict, defineCheck } from '../../steps/check.ts';
import { step } from '../step-builder.ts';

/** A check that says with which configuration it ran. */
const says = defineCheck({
  name: 'says',
  parse: (fields) => fields as { name?: string; timeoutMs?: string; templates?: string; check?: string; with?: Json; own?: string },
  run: (config) => ({ passed: false, result: config, error: JSON.stringify(config) }),
});

const RESERVED = { name: 'zod', timeoutMs: 'soon', templates: 'three', check: 'it', with: { a: 1 }, own: 'mine' };

async function outcomeOf(compiled: AnyWorkflow) {
  const engine = await createEngine({ workflows: [compiled] });
  const view = await (await engine.start(compiled)).wait('outside');
  await engine.close({ abort: true });
  return { status: view.status, failed: (view.steps[0]?.output as { failed_checks?: string[] } | null)?.failed_checks, view };
}

describe('the configuration of a check', () => {
  test('may have fields of any name: those that every check has are beside it', async () => {
    const graph = defineWorkflow({
      name: 'graph',
      steps: { a: { gate: { checks: [{ ...says(RESERVED), timeout: '1m' }] }, next: { ok: null, fail: 'fail' } } },
    });
    expect(graph.definition.steps[0]).toMatchObject({ config: { checks: [{ check: 'says', with: RESERVED, timeoutMs: 60_000 }] } });
    expect(await outcomeOf(graph)).toMatchObject({ status: 'failed', failed: [`says: ${JSON.stringify(RESERVED)}`] });
    const flow = workflow('flow', function* () {
      yield* step('a').gate({ checks: [says(RESERVED)] });
    });
    expect(await outcomeOf(flow)).toMatchObject({ status: 'failed', failed: [`says: ${JSON.stringify(RESERVED)}`] });
  });

  test('is under `with` in a workflow file, or beside the name of the check where no name is taken', async () => {
    const head = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n';
    for (const written of ['with: { name: zod }', 'name: zod, with: { own: x }', 'own: x']) {
      const file = await workflowFromYaml(`${head}  - { id: a, type: gate, conditions: [{ check: says, ${written} }], on_fail: fail }\n`);
      const engine = await createEngine({ workflows: [file], checks: { says } });
      const { steps } = await (await engine.start(file)).wait();
      await engine.close();
      const title = written.startsWith('name') ? 'zod' : 'says';
      const config = written.startsWith('with') ? { name: 'zod' } : { own: 'x' };
      expect(steps[0]?.output).toMatchObject({ failed_checks: [`${title}: ${JSON.stringify(config)}`] });
    }
  });
});

describe('the configuration of a kind', () => {
  test('may have fields of any name', async () => {
    const echo = defineStepKind({
      kind: 'echo',
      parse: (config) => config as typeof RESERVED,
      run: ({ config }) => ({ outcome: 'ok', output: config }),
    });
    const graph = defineWorkflow({ name: 'graph', steps: { a: { use: echo(RESERVED), next: null } } });
    expect((await outcomeOf(graph)).view.steps[0]?.output).toEqual(RESERVED);
  });
});

const target = z.object({
  to: z.string(),
  retries: z.number().default(3),
  tag: z
    .string()
    .transform((tag) => tag.length)
    .optional(),
});

describe('a schema', () => {
  const deploy = defineStepKind({ kind: 'deploy', parse: target, run: ({ config }) => ({ outcome: 'ok', output: config }) });
  const has = defineCheck({
    name: 'has',
    parse: target,
    run(config) {
      expectTypeOf(config).toEqualTypeOf<{ to: string; retries: number; tag?: number | undefined }>();
      return { passed: false, result: null, error: JSON.stringify(config) };
    },
  });

  test('has one type for what is written and one for what was parsed', async () => {
    expectTypeOf(deploy).parameter(0).toEqualTypeOf<{ to: string; retries?: number | undefined; tag?: string | undefined }>();
    expectTypeOf(has).parameter(0).toEqualTypeOf<{ to: string; retries?: number | undefined; tag?: string | undefined }>();
    const graph = defineWorkflow({
      name: 'graph',
      steps: {
        ship: { use: deploy({ to: 'x', tag: 'four' }), next: { ok: 'look' } },
        look: { gate: { checks: [has({ to: 'y' })] }, next: { ok: null, fail: 'fail' } },
      },
    });
    const { view } = await outcomeOf(graph);
    expect(view.steps.map(({ output }) => output)).toMatchObject([
      { to: 'x', retries: 3, tag: 4 },
      { failed_checks: ['has: {"to":"y","retries":3}'] },
    ]);
    const flow = workflow('flow', function* () {
      return yield* step('ship').use(deploy, { to: 'x' });
    });
    expect((await flow.run()).finalOutput).toEqual({ to: 'x', retries: 3 });
  });

  test('says which field is wrong when the workflow is defined', () => {
    const use = deploy({ to: 1 } as never);
    expect(() => defineWorkflow({ name: 'w', steps: { a: { use, next: null } } })).toThrow(
      'the configuration of "deploy" is invalid: `to`: Invalid input: expected string, received number',
    );
    const checks = [has({ to: 'x', retries: 'y' } as never)];
    expect(() => defineWorkflow({ name: 'w', steps: { a: { gate: { checks }, next: null } } })).toThrow('`retries`: Invalid input');
  });

  test('an asynchronous schema is rejected, because a definition does not wait', () => {
    const late = defineStepKind({ kind: 'late', parse: z.string().refine(async () => true), run: () => ({ outcome: 'ok' }) });
    expect(() => late.parse('x')).toThrow('the schema must not be asynchronous');
  });

  test('is not needed: what a function takes is what is written', () => {
    const kind = defineStepKind({
      kind: 'counted',
      parse: (written: { n?: number }) => ({ n: written.n ?? 1 }),
      run: ({ config }) => ({ outcome: 'ok', output: config.n + 1 }),
    });
    expectTypeOf(kind).parameter(0).toEqualTypeOf<{ n?: number }>();
    const check = defineCheck({
      name: 'counted',
      parse: (written: { n?: number }) => ({ n: written.n ?? 1 }),
      run: ({ n }) => ({ passed: n > 1, result: null, error: 'too few' }),
    });
    expectTypeOf(check).parameter(0).toEqualTypeOf<{ n?: number }>();
  });
});

describe('a check of an application', () => {
  const seen = { passed: true, result: null } as const;

  test('declares the same traits as the built-in ones', () => {
    const traits = { readsFiles: false, requiredAtMerge: true, checksWork: true, isApproval: true, independentOfRun: true } as const;
    const parse = ({ file }: { file: string }) => ({ file: file.trim() });
    const check = defineCheck({ name: 'c', ...traits, parse, reports: ({ file }) => [file], run: () => seen });
    expect({ ...check }).toMatchObject(traits);
    expect(check.reports?.({ check: 'c', with: { file: ' a.xml ' } } as never)).toEqual(['a.xml']);
    expect(check.reports?.({ check: 'c' } as never)).toEqual([]);
  });

  test('a check that requires an approval must name a step that asks a person', async () => {
    const approved = defineCheck({
      name: 'seen',
      parse: ({ at }: { at: string }) => ({ at }),
      approvalOf: ({ at }) => at,
      run: () => seen,
    });
    const file = (at: string) =>
      workflowFromYaml(
        `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
stages:
  - { id: ask, type: human, prompt: "Fine?" }
  - { id: gate, type: gate, conditions: [{ check: seen, at: ${at} }] }
`,
        { checks: { seen: approved } },
      );
    await expect(file('ask')).resolves.toBeDefined();
    await expect(file('aks')).rejects.toThrow('the check "seen" requires an approval at step "aks", which does not exist');
  });

  test('a check that reads no files passes although files change meanwhile', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'pawl-check-'));
    execFileSync('git', ['init', '--quiet', cwd]);
    const writing = (traits: { readsFiles?: false }) =>
      defineCheck({
        name: 'writing',
        ...traits,
        parse: () => ({}),
        run: () => {
          writeFileSync(join(cwd, 'seen.txt'), String(Math.random()));
          return seen;
        },
      });
    const statusOf = async (traits: { readsFiles?: false }): Promise<string> => {
      writeFileSync(join(cwd, 'seen.txt'), 'before');
      const gated = defineWorkflow({ name: 'w', steps: { gate: { gate: { checks: [writing(traits)({})] }, next: null } } });
      const engine = await createEngine({ db: ':memory:', cwd, workflows: [gated] });
      const { status } = await (await engine.start(gated)).wait('idle');
      await engine.close();
      return status;
    };
    expect([await statusOf({ readsFiles: false }), await statusOf({})]).toEqual(['completed', 'escalated']);
    await removeFolder(cwd);
  });
});

describe('the digest of the code', () => {
  const checkOf = (run: () => CheckVerdict) => defineCheck({ name: 'c', parse: () => ({}), run });
  const kindOf = (run: () => { outcome: 'ok' }) => defineStepKind({ kind: 'k', parse: () => ({}), run });

  test('depends on what a kind or a check of the application does', () => {
    const kinds = [kindOf(() => ({ outcome: 'ok' })), kindOf(() => ({ outcome: 'ok', more: 1 }))].map(
      (kind) => defineWorkflow({ name: 'w', steps: { a: { use: kind({}), next: null } } }).compiled.codeHash,
    );
    const checks = [checkOf(() => ({ passed: true, result: null })), checkOf(() => ({ passed: false, result: null, error: 'no' }))].map(
      (check) =>
        defineWorkflow({ name: 'w', steps: { a: { gate: { checks: [check({})] }, next: { ok: null, fail: 'fail' } } } }).compiled.codeHash,
    );
    expect(new Set([...kinds, ...checks]).size).toBe(4);
  });
});

describe('a check that a workflow contains', () => {
  const even = defineCheck({
    name: 'even',
    parse: ({ n }: { n: number }) => {
      if (typeof n !== 'number') throw new Error('`n` must be a number');
      return { n };
    },
    run: ({ n }) => ({ passed: n % 2 === 0, result: null, error: `${n} is odd` }),
  });
  const wrong = even({ n: 'one' as never });
  const nested = (one: typeof wrong) => [{ check: 'any_of' as const, checks: [one] }];

  test('is made by an engine that was not given it, also inside others and in a group', async () => {
    const graph = defineWorkflow({
      name: 'graph',
      steps: {
        a: { gate: { checks: [even({ n: 2 }), { check: 'any_of', checks: [even({ n: 4 })] }] }, next: { ok: 'b', fail: 'fail' } },
        b: { parallel: { branches: { c: { gate: { checks: [even({ n: 3 })] } } } }, next: { ok: null, fail: 'fail' } },
      },
    });
    expect((await outcomeOf(graph)).view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'a#1 ok',
      'b#1/c fail',
      'b#1 fail',
    ]);
  });

  test('has its fields checked where the workflow is defined', () => {
    const graphWith = (checks: ReturnType<typeof nested> | (typeof wrong)[]) => () =>
      defineWorkflow({ name: 'w', steps: { a: { gate: { checks: checks as never }, next: { ok: null, fail: 'fail' } } } });
    const said = 'the fields of the check "even" are wrong: `n` must be a number';
    expect(graphWith([wrong])).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID', message: expect.stringContaining(said) }));
    expect(graphWith(nested(wrong))).toThrow(said);
    expect(() => step('a').gate({ checks: [wrong] })).toThrow(said);
    expect(() => step('a').gate({ checks: nested(wrong) })).toThrow(said);
  });

  test('must have a name of its own', () => {
    const other = defineCheck({ name: 'even', parse: () => ({}), run: () => ({ passed: true, result: null }) });
    const builtIn = defineCheck({ name: 'command', parse: () => ({}), run: () => ({ passed: true, result: null }) });
    for (const [checks, said] of [
      [[even({ n: 2 }), other({})], 'two checks of this gate have the name "even"; give one of them another name'],
      [[builtIn({})], '"command" is the name of a built-in check; give your check another name'],
    ] as const) {
      expect(() => defineWorkflow({ name: 'w', steps: { a: { gate: { checks }, next: { ok: null, fail: 'fail' } } } })).toThrow(said);
      expect(() => step('a').gate({ checks })).toThrow(said);
    }
  });
});

describe('what a kind or a check of an application returns', () => {
  test('has no unknown field: a misspelt output is not lost', async () => {
    const results: readonly { readonly outcome: 'ok'; readonly output?: number }[] = [
      Object.assign({ outcome: 'ok' as const }, { outpt: 1 }),
    ];
    const misspelt = defineStepKind({ kind: 'misspelt', parse: (config) => config as object, run: () => results[0] ?? { outcome: 'ok' } });
    const { view } = await outcomeOf(defineWorkflow({ name: 'w', steps: { a: { use: misspelt({}), next: null } } }));
    expect(view.error).toContain('the kind "misspelt" of step "a" returned an unknown field "outpt" (did you mean "output"?)');
  });

  test('has no unknown field in a verdict', async () => {
    const misspelt = defineCheck({
      name: 'misspelt',
      parse: (fields) => fields as object,
      run: () => Object.assign({ passed: false as const, result: null, error: 'red' }, { eror: 'x' }),
    });
    const { view } = await outcomeOf(defineWorkflow({ name: 'w', steps: { a: { gate: { checks: [misspelt({})] }, next: null } } }));
    expect(view.error).toContain('misspelt: it returned an unknown field "eror" (did you mean "error"?)');
  });
});

test('a kind of an application cannot have the name of a built-in one', () => {
  const command = defineStepKind({ kind: 'command', parse: (config) => config as object, run: () => ({ outcome: 'ok' }) });
  expect(() => defineWorkflow({ name: 'w', steps: { a: { use: command({}), next: null } } })).toThrow(
    '"command" is the name of a built-in kind',
  );
});
