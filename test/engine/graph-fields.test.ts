// What graphs and flows can say as workflow files can: outputs that are verified, side steps, data, transitions with data.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver, defineWorkflow, step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

function writePaper(text: string): void {
  mkdirSync(rig.path('out'), { recursive: true });
  writeFileSync(rig.path('out/a.md'), text);
}

describe('outputs of a graph', () => {
  const reports = (write: () => void) =>
    defineWorkflow({
      name: 'reports',
      steps: {
        report: {
          handler: () => {
            write();
            return { pages: 2 };
          },
          outputs: [{ name: 'paper', type: 'file', pattern: 'out/*.md', required: true }],
          contractRetries: 0,
          next: null,
        },
      },
    });

  test('a handler that wrote its file is done, and the file is its output', async () => {
    const engine = await rig.open();
    const view = await (await engine.start(reports(() => writePaper('x')))).wait();
    expect([view.status, view.output]).toEqual(['completed', { pages: 2, paper: ['out/a.md'] }]);
  });

  test('a handler that left an old file as it was is not done', async () => {
    writePaper('old');
    const engine = await rig.open();
    const view = await (await engine.start(reports(() => {}))).wait('outside');
    expect(view.status).not.toBe('completed');
    expect(view.steps[0]?.error).toContain('1 file matches "out/*.md", and none changed since before the step');
  });

  test('a later visit must change the file again only with fresh: activation', async () => {
    let visits = 0;
    const write = {
      handler: () => {
        visits += 1;
        if (visits === 1) writePaper('x');
      },
      outputs: [{ name: 'paper', type: 'file', pattern: 'out/*.md', required: true }],
      contractRetries: 0,
      next: 'again',
    } as const;
    const again = {
      handler: (): 'iterate' | 'ok' => (visits === 1 ? 'iterate' : 'ok'),
      next: { ok: null, iterate: { to: 'write', maxIterations: 2 } },
    } as const;
    const lenient = defineWorkflow({ name: 'lenient', steps: { write, again } });
    const strict = defineWorkflow({ name: 'strict', steps: { write: { ...write, fresh: 'activation' }, again } });
    const engine = await rig.open();
    expect((await (await engine.start(lenient)).wait('outside')).status).toBe('completed');
    visits = 0;
    writePaper('old');
    expect((await (await engine.start(strict)).wait('outside')).status).toBe('escalated');
  });

  test('a row of a database counts when this run wrote it', async () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE orders (key TEXT, total INTEGER)');
    const order = (writes: boolean) =>
      defineWorkflow({
        name: `order-${writes}`,
        steps: {
          place: {
            handler: (ctx) => {
              if (writes) db.prepare('INSERT INTO orders VALUES (?, 7)').run(ctx.runId);
            },
            outputs: [
              {
                name: 'order',
                type: 'effect',
                required: true,
                find: (ctx) => db.prepare('SELECT total FROM orders WHERE key = ?').get(ctx.runId),
              },
            ],
            contractRetries: 0,
            next: null,
          },
        },
      });
    const engine = await rig.open();
    const placed = await (await engine.start(order(true))).wait();
    expect([placed.status, placed.output]).toEqual(['completed', { order: { total: 7 } }]);
    const missing = await (await engine.start(order(false))).wait('outside');
    expect(missing.steps[0]?.error).toContain('nothing was found; make sure that the work takes effect (output "order" of step "place")');
    db.prepare('INSERT INTO orders VALUES (?, 9)').run('old');
    const old = await (await engine.start(order(false), {}, { id: 'old' })).wait('outside');
    expect(old.steps[0]?.error).toContain('the step did not change what was found');
  });

  test('an effect that an agent claims and did not cause is not done', async () => {
    const file = rig.path('ledger');
    writeFileSync(file, '');
    const pay = defineWorkflow({
      name: 'pay',
      steps: {
        pay: {
          agent: 'dev',
          prompt: 'pay',
          outputs: [{ name: 'payment', type: 'effect', required: true, find: () => readFileSync(file, 'utf8') || null }],
          contractRetries: 0,
          next: null,
        },
      },
    });
    const driver = createScriptedDriver(() => [{ do: 'answer', output: { payment: 'paid' } }]);
    const engine = await rig.open({ roles: { dev: { driver: 's' } }, drivers: { s: driver } });
    const view = await (await engine.start(pay)).wait('outside');
    expect(view.status).toBe('escalated');
    expect(view.steps[0]?.error).toContain('nothing was found');
  });

  test('an invalid output is refused when the workflow is defined', () => {
    const define = (outputs: unknown, work: object = { command: 'x' }) =>
      defineWorkflow({ name: 'w', steps: { a: { ...work, outputs, next: null } } } as never);
    expect(() => define([{ name: 'o', type: 'file', pattern: '../x' }])).toThrow('leads out of the workspace');
    expect(() => define([{ name: 'o', type: 'file', pattren: 'x' }])).toThrow('unknown option "pattren" (did you mean "pattern"?)');
    expect(() => define([{ name: 'o', type: 'row' }])).toThrow('must have one of the types file, artifact, comment, pr, ');
    expect(() => define([{ name: 'o', type: 'effect' }])).toThrow('must have a function `find`');
    expect(() =>
      define([
        { name: 'o', type: 'pr' },
        { name: 'o', type: 'pr' },
      ]),
    ).toThrow('two outputs are called "o"');
    expect(() => define([{ name: 'o', type: 'pr' }], { delay: '1s' })).toThrow('`outputs` has no effect here');
  });
});

describe('outputs of a flow', () => {
  test('a task whose file is missing is not done; one whose effect happened is', async () => {
    const rows: string[] = [];
    const flow = workflow('flow', function* () {
      yield* step('row').task({
        action: () => rows.push('r'),
        outputs: [{ name: 'row', type: 'effect', required: true, find: () => rows.at(-1) }],
      });
      yield* step('file').task({
        action: () => 'said so',
        outputs: [{ name: 'paper', type: 'file', pattern: 'out/*.md', required: true }],
        contractRetries: 0,
      });
    });
    const engine = await rig.open();
    const view = await (await engine.start(flow)).wait('outside');
    expect(view.steps.map((one) => [one.step, one.output])).toEqual([
      ['row', 1],
      ['file', null],
    ]);
    expect(view.steps[1]?.error).toContain('no file matches "out/*.md"');
  });
});

describe('a graph with side steps', () => {
  test('a graph with side steps runs one when a timeout is extended, and one when the run has failed', async () => {
    const clock = createVirtualClock();
    const ran: string[] = [];
    const noting = (name: string) => () => {
      ran.push(name);
    };
    const late = defineWorkflow({
      name: 'late',
      onError: 'report',
      steps: {
        wait: { signal: 'go', timeout: '10m', extend: { by: '5m', onExtend: 'tell' }, next: { ok: null, timeout: 'fail' } },
        tell: { handler: noting('tell'), side: true },
        report: { handler: noting('report'), side: true },
      },
    });
    const engine = await rig.open({ clock });
    const run = await engine.start(late);
    await run.wait('idle');
    clock.advance(600_000);
    await expect.poll(() => ran).toEqual(['tell']);
    clock.advance(300_000);
    const view = await run.wait('settled');
    await expect.poll(() => ran).toEqual(['tell', 'report']);
    expect(view.status).toBe('failed');
  });

  test.each([
    ['onError names no side step', { onError: 'b' }, '`onError` must name a side step, not "b" (did you mean'],
    ['a transition leads to one', { next: 'side' }, '`next` must not lead to the side step "side"'],
    ['one leads into the run', { side: { next: 'a' } }, '`next` must not lead from a side step to "a"'],
    ['an extension starts no side step', { extend: { by: '1m', onExtend: 'a' } }, '`extend.onExtend` must name a side step, not "a"'],
    ['the run begins at one', { entry: 'side' }, 'the entry "side" must not be a side step'],
  ])('a graph with side steps is refused when %s', (_, { onError, entry, side = {}, ...step }: Record<string, unknown>, message) => {
    const top = { ...(onError === undefined ? {} : { onError }), ...(entry === undefined ? {} : { entry }) };
    const steps = { a: { command: 'x', next: null, ...step }, side: { command: 'x', side: true, ...(side as object) } };
    const define = () => defineWorkflow({ name: 'w', ...top, steps } as never);
    expect(define).toThrow(message.replace(' (did you mean', ''));
  });
});

test('data, facts, templates, merges and the data of a transition reach the steps', async () => {
  const seen: unknown[] = [];
  const w = defineWorkflow({
    name: 'data',
    params: {},
    data: { greeting: 'hello', loud: '{{ greeting | upper }}' },
    facts: ['issue_number'],
    steps: {
      say: { command: 'echo "$LOUD" > said', env: { LOUD: '{{ loud }}' }, templates: true, next: 'make' },
      make: { handler: () => ({ kept: 1, dropped: 2 }), merges: ['kept'], next: { ok: { to: 'look', context: { why: 'because' } } } },
      look: {
        handler: (ctx) => {
          const { kept, dropped, why, issue_number: issue } = ctx.checkpoint;
          seen.push(kept, dropped, why, issue);
        },
        next: null,
      },
    },
  });
  const engine = await rig.open();
  const view = await (await engine.start(w)).wait();
  expect(view.status).toBe('completed');
  expect(readFileSync(rig.path('said'), 'utf8')).toBe('HELLO\n');
  expect(seen).toEqual([1, undefined, 'because', null]);
});

test('permissions narrow what a graph may do at the forge', () => {
  const define = (permissions: object) => defineWorkflow({ name: 'w', permissions, steps: { a: { command: 'x', next: null } } } as never);
  expect(define({ contents: 'read' }).definition.permissions).toEqual({ contents: 'read' });
  expect(() => define({ content: 'read' })).toThrow('`permissions` has no field "content" (did you mean "contents"?)');
});
