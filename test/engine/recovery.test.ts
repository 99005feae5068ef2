// Real crashes: a process that drives a run is ended with SIGKILL, and another one goes on.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appeared, createRig, isRunning, type OtherProcess, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

// Both processes must have the same functions, so the definitions are a text that both evaluate.
const WORKFLOWS = `
  const note = (text) => appendFileSync(db + '.ledger', text + '\\n');
  const hang = (ctx) => { note(ctx.stepId + ' ' + ctx.attempt + ' ' + ctx.idempotencyKey.split('/').slice(1).join('/')); say('at work'); return existsSync(db + '.mended') ? { done: ctx.stepId } : new Promise(() => {}); };
  const first = { id: 'first', handler: () => { note('first'); return { first: 1 }; }, next: 'work' };
  const last = { id: 'last', handler: (ctx) => ({ ...ctx.stepState }), next: null };
  const asks = defineWorkflow({ name: 'asks', steps: [first, { id: 'work', handler: hang, retry: 1, next: 'last' }, last] });
  const reruns = defineWorkflow({ name: 'reruns', steps: [first, { id: 'work', handler: hang, recovery: 'rerun', next: 'last' }, last] });
  const reconciles = defineWorkflow({ name: 'reconciles', steps: [first,
    { id: 'work', handler: hang, recovery: 'reconcile', reconcile: () => existsSync(db + '.effect') ? { output: { done: 'found' } } : false, next: 'last' }, last] });
  const shell = defineWorkflow({ name: 'shell', steps: [{ id: 'work', command: 'echo $$ > ' + db + '.pid; sleep 300', recovery: 'ask', next: null }] });
  const fan = workflow('fan', function* () {
    return yield* step('each').each(['a', 'b', 'c'], (item) => step('work').task({ action: (name) => { note(name); if (name === 'b' && !existsSync(db + '.mended')) { say('at work'); return new Promise(() => {}); } return name; }, args: [item], recovery: 'rerun' }), { concurrency: 1 });
  });
  const workflows = [asks, reruns, reconciles, shell, fan];
  const open = (more = {}) => createEngine({ db, workflows, synchronous: 'NORMAL', ...more });
`;

function drive(workflow: string, id: string): OtherProcess {
  return rig.other(`${WORKFLOWS}
    const engine = await open();
    await engine.start(${JSON.stringify(workflow)}, {}, { id: ${JSON.stringify(id)} });
    setInterval(() => {}, 1000);
    await new Promise(() => {});`);
}

interface Found {
  readonly driven: string[];
  readonly status: string;
  readonly steps: string[];
  readonly waits: string[];
  readonly output: unknown;
  readonly error?: string;
  readonly more: unknown;
}

/** What another process finds after it recovered; `before` runs before that, `then` after it with `engine` and `id`. */
async function recovered(id: string, code: { readonly before?: string; readonly then?: string } = {}): Promise<Found> {
  const other = rig.other(`${WORKFLOWS}
    const id = ${JSON.stringify(id)};
    ${code.before ?? ''}
    const engine = await open();
    const driven = await engine.recover();
    await engine.run(id).wait('idle');
    let more = null;
    ${code.then ?? ''}
    const { status, output, error, ...view } = await engine.run(id).get();
    const steps = view.steps.map((step) => step.path + '/' + step.attempt + ' ' + step.status);
    const waits = view.waits.map((wait) => wait.kind + ' ' + wait.step);
    say('RESULT ' + JSON.stringify({ driven, status, steps, waits, output, error, more }));
    await engine.close({ abort: true });`);
  for (;;) {
    const line = await other.said();
    if (line.startsWith('RESULT ')) return JSON.parse(line.slice('RESULT '.length)) as Found;
    if (line === 'undefined') throw new Error('the other process ended without a result');
  }
}

async function crash(workflow: string, id: string): Promise<void> {
  const driving = drive(workflow, id);
  expect(await driving.said()).toBe('at work');
  await driving.kill();
}

const ledger = (): string[] => readFileSync(`${rig.db}.ledger`, 'utf8').trim().split('\n');
const MEND = `writeFileSync(db + '.mended', '');`;

const resume = (choice: string): string => `await engine.run(id).resume({ actor: 'ann', choice: ${choice} }); await engine.run(id).wait();`;

describe('D01: a step that was running when its process was killed', () => {
  test('D01: with `ask`, an interrupted step is unknown, and nothing of it runs again until a person says what happened', async () => {
    await crash('asks', 'run');
    const decide = `more = await engine.run(id).decide({ option: 'approve', actor: 'ann' }).catch((error) => error.message);`;
    const found = await recovered('run', { then: decide });
    expect(found).toMatchObject({ driven: ['run'], status: 'waiting', waits: ['unknown work'] });
    expect(found.steps).toEqual(['first#1/1 completed', 'work#1/1 unknown']);
    expect(found.more).toContain('it waits for: someone to say how work#1 ended');
    expect(ledger()).toEqual(['first', 'work 1 work#1/1']);
  });

  test('D01: a person who chooses `rerun` runs the same attempt under the same key', async () => {
    await crash('asks', 'run');
    const found = await recovered('run', { then: `${MEND} ${resume("{ how: 'rerun' }")}` });
    expect(found).toMatchObject({ status: 'completed', output: { first: 1, done: 'work' } });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1', 'work 1 work#1/1']);
  });

  test('D01: a person who chooses `done` completes the step with an output and their name', async () => {
    await crash('asks', 'run');
    const then = `${resume("{ how: 'done', output: { done: 'by hand' } }")} more = (await engine.run(id).get()).steps.find((step) => step.path === 'work#1').actor;`;
    expect(await recovered('run', { then })).toMatchObject({ status: 'overridden', output: { done: 'by hand' }, more: 'ann' });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1']);
  });

  test('D01: a person who chooses `failed` makes the step follow its retry policy under a new key', async () => {
    await crash('asks', 'run');
    const found = await recovered('run', { then: `${MEND} ${resume("{ how: 'failed', note: 'it was not sent' }")}` });
    expect(found).toMatchObject({ status: 'completed' });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1', 'work 2 work#1/2']);
  });

  test('D01: with `rerun`, an interrupted step runs again by itself under the same key, and committed steps do not', async () => {
    await crash('reruns', 'run');
    expect(await recovered('run', { before: MEND, then: 'await engine.run(id).wait();' })).toMatchObject({
      status: 'completed',
      output: { first: 1, done: 'work' },
    });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1', 'work 1 work#1/1']);
  });

  test('D01: with `reconcile`, an effect that is found counts, and the step does not run again', async () => {
    await crash('reconciles', 'run');
    const found = await recovered('run', { before: `writeFileSync(db + '.effect', '');`, then: 'await engine.run(id).wait();' });
    expect(found).toMatchObject({ status: 'completed', output: { done: 'found' } });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1']);
  });

  test('D01: with `reconcile`, a step without an effect runs again under the same key', async () => {
    await crash('reconciles', 'run');
    expect(await recovered('run', { before: MEND, then: 'await engine.run(id).wait();' })).toMatchObject({
      status: 'completed',
      output: { done: 'work' },
    });
    expect(ledger()).toEqual(['first', 'work 1 work#1/1', 'work 1 work#1/1']);
  });

  test('D01: a member of a fan-out that was running when its process was killed runs again alone; the members that were done stay done', async () => {
    await crash('fan', 'run');
    expect(await recovered('run', { before: MEND, then: 'await engine.run(id).wait();' })).toMatchObject({
      status: 'completed',
      output: ['a', 'b', 'c'],
    });
    expect(ledger()).toEqual(['a', 'b', 'b', 'c']);
  });

  test('C07: the process it started is ended before the run goes on', async () => {
    const driving = drive('shell', 'run');
    await appeared(`${rig.db}.pid`);
    const pid = Number(readFileSync(`${rig.db}.pid`, 'utf8'));
    await driving.kill();
    expect(isRunning(pid)).toBe(true);
    expect(await recovered('run')).toMatchObject({ status: 'waiting', waits: ['unknown work'] });
    expect(isRunning(pid)).toBe(false);
  });
});

describe('recovering again and again', () => {
  test('an attempt that is interrupted a fourth time is not run again: the run escalates', async () => {
    await crash('reruns', 'run');
    for (let n = 0; n < 3; n += 1) {
      const other = rig.other(
        `${WORKFLOWS} const engine = await open(); await engine.recover(); await new Promise(() => setInterval(() => {}, 1000));`,
      );
      expect(await other.said()).toBe('at work');
      await other.kill();
    }
    const found = await recovered('run');
    expect(found).toMatchObject({ status: 'escalated', error: expect.stringContaining('was interrupted 4 times') });
    expect(ledger().filter((line) => line.startsWith('work'))).toEqual(Array.from({ length: 4 }, () => 'work 1 work#1/1'));
  });
});

describe('D02: a step that was committed', () => {
  test('D02: a step that was committed before the kill does not run again: the run continues with the next one', async () => {
    const driving = rig.other(`${WORKFLOWS}
      const two = workflow('two', function* () { yield* step('a').task(() => note('a')); return yield* step('go').signal('go'); });
      const engine = await createEngine({ db, workflows: [two], synchronous: 'NORMAL' });
      const run = await engine.start(two, {}, { id: 'run' });
      await run.wait('idle');
      say('parked');
      await new Promise(() => setInterval(() => {}, 1000));`);
    expect(await driving.said()).toBe('parked');
    await driving.kill();
    const other = rig.other(`${WORKFLOWS}
      const two = workflow('two', function* () { yield* step('a').task(() => note('a')); return yield* step('go').signal('go'); });
      const engine = await createEngine({ db, workflows: [two], synchronous: 'NORMAL' });
      await engine.run('run').signal('go', { payload: 7 });
      say((await engine.run('run').wait()).output);
      await engine.close();`);
    expect(await other.said()).toBe('7');
    expect(ledger()).toEqual(['a']);
  });
});

describe('a semaphore that the killed process held', () => {
  test('a semaphore that the killed process held is free once the attempt is unknown, and a rerun waits for it like every other step', async () => {
    const code = `${WORKFLOWS}
      const holds = defineWorkflow({ name: 'holds', steps: [{ id: 'work', slots: ['db'], handler: (ctx) => { note('begin ' + ctx.runId); say('at work'); return new Promise((resolve) => { if (existsSync(db + '.mended')) resolve({}); }); }, next: null }] });
      const engine = await createEngine({ db, workflows: [holds], limits: { keys: { db: 1 } }, synchronous: 'NORMAL' });`;
    const driving = rig.other(
      `${code} await engine.start(holds, {}, { id: 'killed' }); await new Promise(() => setInterval(() => {}, 1000));`,
    );
    expect(await driving.said()).toBe('at work');
    await driving.kill();
    const other = rig.other(`${code}
      await engine.recover();
      await engine.run('killed').wait('idle');
      await engine.start(holds, {}, { id: 'next' });
      await hear();
      await engine.run('killed').resume({ actor: 'ann', choice: { how: 'rerun' } });
      say((await engine.run('killed').get()).waits.map((wait) => wait.kind).join());
      writeFileSync(db + '.mended', '');
      await engine.run('next').cancel({ actor: 'ann' });
      say((await engine.run('killed').wait()).status);
      await engine.close();`);
    expect(await other.said()).toBe('at work');
    other.tell('go');
    expect(await other.said()).toBe('capacity');
    expect([await other.said(), await other.said()]).toEqual(['at work', 'completed']);
    expect(ledger()).toEqual(['begin killed', 'begin next', 'begin killed']);
  });
});
