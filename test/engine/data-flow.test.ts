// How values get from parameters and earlier steps to programs, agents, people and web services: by functions of the
// context and by variables, always as data.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCommandDriver } from '../../src/agents/command.ts';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow as defineList } from '../../src/compat/index.ts';
import { arg, defineWorkflow, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let prompts: string[];
beforeEach(() => {
  rig = createRig();
  prompts = [];
});
afterEach(() => rig.close());

const TRICK = 'a "title"; $(touch gone) {{ params.title }}';
const TITLE = { title: arg({ required: true, type: 'string' }) };
const driven = () => ({
  roles: { dev: { driver: 'scripted' } },
  drivers: {
    scripted: createScriptedDriver(({ prompt }) => {
      prompts.push(prompt);
      return { kind: 'answered', success: true, output: 'written' };
    }),
  },
});

async function run(definition: AnyWorkflow, options = {}, params: object = { title: TRICK }) {
  const engine = await rig.open({ ...driven(), ...options });
  const started = await engine.start(definition, params as never);
  return { run: started, view: await started.wait('idle') };
}

const printed = (view: { readonly steps: readonly { readonly step: string; readonly output?: unknown }[] }, id: string): string =>
  (view.steps.find((one) => one.step === id)?.output as { stdout: string } | undefined)?.stdout ?? '';

test('the result of a step that failed is there for later steps, also in another process', async () => {
  const w = defineWorkflow({
    name: 'judged',
    steps: {
      judge: { handler: () => ['fail', { missing: 3 }] as const, next: { ok: null, fail: 'wait' } },
      wait: { signal: 'go', next: 'look' },
      look: { handler: (ctx) => ({ seen: ctx.results.judge?.output ?? 'nothing' }), next: null },
    },
  });
  const first = await rig.open({ workflows: [w] });
  const { id } = await first.start(w);
  await first.run(id).wait('idle');
  await first.close();
  const later = await rig.open({ workflows: [w] });
  await later.run(id).signal('go');
  expect((await later.run(id).wait()).output).toEqual({ seen: { missing: 3 } });
});

describe('a function of the context', () => {
  test('a function of the context builds the environment of a program from parameters and results', async () => {
    const w = defineWorkflow({
      name: 'env',
      params: TITLE,
      steps: {
        count: { handler: () => ({ n: 3 }), next: 'print' },
        print: {
          command: 'printf "%s|%s|%s" "$TITLE" "$N" "$FIXED"',
          env: { TITLE: (ctx) => ctx.params.title, N: (ctx) => ctx.results.count?.output.n ?? 0, FIXED: 'x' },
          next: 'whole',
        },
        whole: { command: 'printf "%s" "$ALL"', env: async (ctx) => ({ ALL: `${ctx.stepId} ${ctx.params.title}` }), next: null },
      },
    });
    const { view } = await run(w);
    expect([printed(view, 'print'), printed(view, 'whole')]).toEqual([`${TRICK}|3|x`, `whole ${TRICK}`]);
  });

  test('a function of the context builds what an agent and a generator are asked, per item in a fan-out', async () => {
    const w = defineWorkflow({
      name: 'prompts',
      params: TITLE,
      steps: {
        list: { handler: () => ({ areas: ['api', 'web'] }), next: 'each' },
        each: {
          each: { items: 'areas', step: { agent: 'dev', prompt: (ctx) => `Write ${ctx.item} of ${ctx.params.title}.` }, concurrency: 1 },
          next: 'text',
        },
        text: { generate: 'dev', prompt: (ctx) => `Sum up ${ctx.results.list?.output.areas.length} areas.`, next: null },
      },
    });
    const { view } = await run(w);
    expect(view.status).toBe('completed');
    expect(prompts.map((prompt) => /^(?:Write|Sum up) .*$/m.exec(prompt)?.[0])).toEqual([
      `Write api of ${TRICK}.`,
      `Write web of ${TRICK}.`,
      'Sum up 2 areas.',
    ]);
  });

  test('a function of the context builds the question to a person, and the decision is bound to what was asked', async () => {
    const w = (n: number) =>
      defineWorkflow({
        name: 'ask',
        params: TITLE,
        steps: {
          count: { handler: () => ({ n }), next: 'ask' },
          ask: {
            human: { prompt: (ctx) => `Ship ${ctx.results.count?.output.n} of ${ctx.params.title}?` },
            next: { approve: null, reject: 'fail' },
          },
        },
      });
    const asked = await run(w(3));
    const [approval] = await asked.run.approvals();
    expect(approval?.question.prompt).toBe(`Ship 3 of ${TRICK}?`);
    const other = await run(w(4));
    expect((await other.run.approvals())[0]?.digest).not.toBe(approval?.digest);
    await asked.run.decide({ option: 'approve', actor: 'ann', digest: approval?.digest ?? '' });
    expect((await asked.run.wait()).status).toBe('completed');
  });

  test('a function of the context builds a request, and what it gives is never read as a template', async () => {
    const seen: { url: string | undefined; from: unknown; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      seen.push({ url: request.url, from: request.headers['x-from'], body });
      response.end('{}');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const w = defineWorkflow({
      name: 'hook',
      params: TITLE,
      steps: {
        send: {
          webhook: {
            request: {
              url: (ctx) => `http://${host}/runs/${ctx.attempt}`,
              headers: { 'X-From': (ctx) => ctx.workflow },
              body: { title: (ctx) => ctx.params.title, fixed: [1], template: '{{ params.title }}' },
            },
          },
          next: 'look',
        },
        look: {
          gate: {
            checks: [
              { check: 'command', run: 'test "$T" = "$PAWL_PARAM_TITLE"', env: { T: (ctx) => ctx.params.title } },
              {
                check: 'any_of',
                checks: [{ check: 'webhook', url: (ctx) => `http://${host}/${ctx.stepId}`, body: (ctx) => [ctx.params.title] }],
              },
            ],
          },
          next: null,
        },
      },
    });
    try {
      const { view } = await run(w, { webhooks: { allow: [host] } });
      expect(view.status).toBe('completed');
      expect(seen.map(({ url, from, body }) => ({ url, from, body: JSON.parse(body) }))).toEqual([
        { url: '/runs/1', from: 'hook', body: { title: TRICK, fixed: [1], template: TRICK } },
        { url: '/look', from: undefined, body: [TRICK] },
      ]);
    } finally {
      server.close();
    }
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no such page');
      },
      /the prompt of step "a" could not be built: no such page/,
    ],
    ['gives nothing', () => undefined as never, /the prompt of step "a" must be a string, but its function returned undefined/],
  ] as const)('that %s fails the attempt, and nobody is asked', async (_, prompt, message) => {
    const { view } = await run(defineWorkflow({ name: 'w', steps: { a: { agent: 'dev', prompt, next: null } } }), {}, {});
    expect(view.steps[0]?.error).toMatch(message);
    expect(prompts).toEqual([]);
  });

  test('a function of the context is code of the workflow: another one is a change', () => {
    const w = (prompt: () => string) => defineWorkflow({ name: 'w', steps: { a: { agent: 'dev', prompt, next: null } } });
    const [one, two] = [w(() => 'one'), w(() => 'two')];
    expect(one.compiled.hash).toBe(two.compiled.hash);
    expect(one.compiled.codeHash).not.toBe(two.compiled.codeHash);
  });
});

describe('a text in braces that nothing would fill in', () => {
  const END = { end: { command: 'true', next: null } } as const;
  const problems = (first: object): unknown => {
    try {
      defineWorkflow({ name: 'w', steps: { a: { ...first, next: 'end' }, ...END } } as never);
      return [];
    } catch (error) {
      return (error as { details: { problems: { step: string; code: string; message: string }[] } }).details.problems.map(
        ({ step: id, code, message }) => `${id} ${code} ${message}`,
      );
    }
  };

  test.each<[string, object, string]>([
    ['a prompt', { agent: 'dev', prompt: 'Fix {{ params.title }}.' }, '`prompt`'],
    ['the context of an agent', { agent: 'dev', context: { a: ['{{ params.title }}'] } }, '`0`'],
    ['a generator', { generate: 'dev', context: { a: '{{ params.title }}' } }, '`a`'],
    ['a question', { human: { prompt: 'Merge {{ params.title }}?' } }, '`prompt`'],
    ['an environment', { command: 'x', env: { T: '{{ params.title }}' } }, '`T`'],
    ['the environment of a check', { gate: { checks: [{ check: 'command', run: 'x', env: { T: '{{ params.title }}' } }] } }, '`T`'],
    ['the request of a check', { gate: { checks: [{ check: 'webhook', url: 'https://x/{{ params.title }}' }] } }, '`url`'],
    ['the input of a child', { workflow: 'child', input: { title: '{{ params.title }}' } }, '`title`'],
    ['a title', { command: 'x', title: 'Fix {{ params.title }}' }, '`title`'],
    ['instructions', { actions: ['Fix {{ params.title }}'] }, '`actions`'],
  ])('a text in braces in %s is an error that names the field', (_, first, field) => {
    expect(problems(first)).toEqual([`a TEMPLATE_LITERAL ${field} contains "{{ params.title }}", but templates are not rendered here`]);
  });

  test('a text in braces in a command is an error, except the templates of other programs', () => {
    expect(problems({ command: 'echo {{ params.title }}' })).toEqual([
      expect.stringContaining('a TEMPLATE_IN_COMMAND `run` must not contain a template'),
    ]);
    expect(problems({ command: 'echo {{ params.title }}', templates: true })).toEqual([expect.stringContaining('TEMPLATE_IN_COMMAND')]);
    expect(problems({ command: 'echo {{ loud }}', templates: true })).toEqual([expect.stringContaining('TEMPLATE_IN_COMMAND')]);
    expect(problems({ command: "docker ps --format '{{.Names}}'" })).toEqual([]);
    expect(problems({ gate: { checks: ["test -n '{{ outputs.a }}'"] } })).toEqual([expect.stringContaining('TEMPLATE_IN_COMMAND')]);
  });

  test('a text in braces is filled in where templates are: requests, actions of the forge, and steps that say so', () => {
    expect(problems({ webhook: { request: { url: 'https://x/{{ params.title }}' } } })).toEqual([]);
    expect(problems({ forge: { action: 'comment', message: 'For {{ params.title }}' } })).toEqual([]);
    expect(problems({ agent: 'dev', prompt: 'Fix {{ params.title }}.', templates: true })).toEqual([]);
  });

  test('a text in braces that would not be filled in is an error in the list form, too', () => {
    const list = () => defineList({ name: 'w', steps: [{ id: 'a', agent: 'dev', prompt: '{{ params.x }}', next: null }] });
    expect(list).toThrow(/step "a": `prompt` contains "\{\{ params.x \}\}", but templates are not rendered here; write a function/);
  });

  test('a step that fills in its own templates leaves those of a program alone', async () => {
    const w = defineWorkflow({
      name: 'w',
      params: TITLE,
      steps: { a: { command: `printf '%s|%s' '{{.Names}}' "$T"`, env: { T: '{{ params.title }}' }, templates: true, next: null } },
    });
    expect(printed((await run(w)).view, 'a')).toBe(`{{.Names}}|${TRICK}`);
  });
});

describe('the parameters of a run', () => {
  const params = {
    title: arg({ required: true, type: 'string' }),
    'dry-run': arg({ type: 'boolean', default: true }),
    areas: arg({ type: 'json', default: ['a', 1] }),
    large: arg({ default: '' }),
    none: arg({ type: 'json' }),
  };
  const PRINT = `node -e 'process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([k]) => k.startsWith("PAWL_PARAM_")))))'`;
  const VARIABLES = { PAWL_PARAM_TITLE: TRICK, PAWL_PARAM_DRY_RUN: 'true', PAWL_PARAM_AREAS: '["a",1]' };

  test('the parameters of a run are in the environment of commands in graphs and flows: texts as they are, other data as JSON', async () => {
    const given = { title: TRICK, large: 'x'.repeat(40_000) };
    const graph = defineWorkflow({ name: 'graph', params, steps: { a: { command: PRINT, next: null } } });
    const flow = workflow('flow', { params }, function* () {
      yield* step('a').command(PRINT);
    });
    for (const definition of [graph, flow])
      expect(JSON.parse(printed((await run(definition as AnyWorkflow, {}, given)).view, 'a'))).toEqual(VARIABLES);
  });

  test('the parameters of a run are in the environment of an agent that is a program', async () => {
    const argv = ['sh', '-c', 'cat > /dev/null; printf \'{"success": true, "output": "%s"}\\n\' "$PAWL_PARAM_DRY_RUN"'];
    const w = defineWorkflow({ name: 'w', params, steps: { a: { agent: 'dev', prompt: 'p', next: null } } });
    const { view } = await run(w, { drivers: { scripted: createCommandDriver({ argv }) } });
    expect(view.output).toBe('true');
  });

  test('the parameters of a run that would share a variable are refused', () => {
    const two = { 'dry-run': arg({ type: 'string' }), dry_run: arg({ type: 'string' }) };
    const message = /dry-run"? and "?dry_run"? would both be in the environment variable PAWL_PARAM_DRY_RUN/;
    expect(() => defineWorkflow({ name: 'w', params: two, steps: { a: { command: 'x', next: null } } })).toThrow(message);
    expect(() => workflow('w', { params: two }, function* () {})).toThrow(message);
  });
});

test('a check that reads what the context does not have cannot be evaluated, and does not pass', async () => {
  const missing = { name: 'book', check: (ctx: object) => (ctx as { book?: unknown }).book !== null, error: 'there is no book' };
  const w = (context?: () => { book: null | string }) =>
    defineWorkflow({
      name: 'w',
      ...(context === undefined ? {} : { context }),
      steps: { a: { handler: () => 1, preconditions: [missing], next: null } },
    });
  const evidence = async (definition: AnyWorkflow) => (await run(definition, {}, {})).view.steps[0]?.evidence;
  expect(await evidence(w() as AnyWorkflow)).toMatchObject({
    preconditions: [{ name: 'book', passed: null, error: expect.stringContaining('the context has no "book"') }],
  });
  expect(await evidence(w(() => ({ book: null })) as AnyWorkflow)).toMatchObject({ preconditions: [{ passed: false }] });
  expect(await evidence(w(() => ({ book: 'b' })) as AnyWorkflow)).toMatchObject({ preconditions: [{ passed: true }] });
});

describe('docs/guides/data-flow.md', () => {
  const guide = readFileSync(new URL('../../docs/guides/data-flow.md', import.meta.url), 'utf8');
  const blocks = (language: string): string[] =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
  const library = new URL('../../src/index.ts', import.meta.url).href;

  test.each([0, 1])('workflow %i in TypeScript does what the page says', async (index) => {
    const file = rig.path('guide.ts');
    writeFileSync(file, (blocks('ts')[index] ?? '').replace("'pawl'", JSON.stringify(library)));
    const { default: definition } = (await import(/* @vite-ignore */ file)) as { default: AnyWorkflow };
    const { view, run: handle } = await run(definition, {}, { name: 'Ada' });
    if (index === 1) expect(view.output).toBe('Ada has 3 letters');
    else expect(JSON.parse(printed(view, 'look').replaceAll(handle.id, 'RUN'))).toEqual(JSON.parse(blocks('json')[0] ?? ''));
  });

  test('the workflow file does the same', async () => {
    const { compiled, errors } = checkYaml('guide.yaml', blocks('yaml')[0] ?? '', REGISTRY);
    expect(errors).toEqual([]);
    expect(printed((await run(compiled as AnyWorkflow, {}, { name: 'Ada' })).view, 'show')).toBe('Ada has 3 letters');
  });
});
