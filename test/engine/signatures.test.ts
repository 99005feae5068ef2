// Signed decisions: what takes a signature, which one counts, and what becomes of a run that somebody wrote into.

import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyList } from '../../src/authority/enrolment.ts';
import { changeKeyList, writeLockedKey } from '../../src/authority/key-files.ts';
import { generateKey, type UnlockedKey } from '../../src/authority/keys.ts';
import { type Statement, sign } from '../../src/authority/statement.ts';
import type { Signature } from '../../src/base/signature.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { isAsShown } from '../../src/engine/request/approvals.ts';
import { type Engine, type EngineOptions, openIdentity, step, workflow } from '../../src/index.ts';
import type { RunInput } from '../../src/kernel/input.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

const [ann, bob, mallory] = [generateKey('ann'), generateKey('bob'), generateKey('mallory')] as const;

let rig: Rig;
let state: string;
beforeEach(() => {
  rig = createRig();
  state = rig.path('state');
  mkdirSync(state);
  changeKeyList(state, (list) => list.enrol(ann, ann, 1));
});
afterEach(() => rig.close());

const review = defineWorkflow({
  name: 'review',
  steps: [
    { id: 'draft', handler: () => ({ text: 'hello' }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish?',
        context: ['text'],
        options: [
          { label: 'yes', nextStep: 'publish' },
          { label: 'no', nextStep: null },
          { label: 'rework', nextStep: 'draft', requiresInput: true },
        ],
      },
    },
    { id: 'publish', handler: () => ({ published: true }), next: null },
  ],
});

const strict: EngineOptions = { decisions: 'signed', workflows: [review] };
const open = (options: EngineOptions = strict): Promise<Engine> => rig.open({ identities: state, ...options });

async function parked(engine: Engine, definition: Parameters<Engine['start']>[0] = review): Promise<string> {
  const run = await engine.start(definition);
  await run.wait('idle');
  return run.id;
}

interface Made {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly option: string;
  readonly input: string | null;
  readonly actor: string;
}

/** What a person would sign who approves what a run asks now. */
async function asked(engine: Engine, run: string, change: Partial<Made> = {}): Promise<Made> {
  const [approval] = await engine.run(run).approvals();
  return { run, path: approval?.path ?? '', digest: approval?.digest ?? '', option: 'yes', input: null, actor: 'ann', ...change };
}

const signed = (made: Made, by: UnlockedKey = ann): Signature => sign(by, { about: 'decision', ...made }, Date.now());

async function approve(engine: Engine, run: string, by: UnlockedKey = ann): Promise<void> {
  const made = await asked(engine, run, { actor: by.name });
  await engine.run(run).decide({ option: made.option, actor: made.actor, digest: made.digest, signature: signed(made, by) });
}

describe('a run whose decisions are signed', () => {
  test('a run whose decisions are signed cannot start while no key is enrolled, and says what to do', async () => {
    const engine = await open({ ...strict, identities: () => KeyList.none });
    const error = await errorOf(engine.start(review));
    expect(error).toMatchObject({ code: 'KEY_MISSING', message: expect.stringContaining('pawl identity create NAME') });
    expect(await engine.list()).toEqual([]);
  });

  test('a run whose decisions are signed accepts no decision without a signature', async () => {
    const engine = await open();
    const run = await parked(engine);
    expect((await engine.run(run).approvals())[0]?.signed).toBe(true);
    expect(await codeOf(engine.run(run).decide({ option: 'yes', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    expect((await engine.run(run).get()).status).toBe('waiting');
  });

  test('a run whose decisions are signed accepts a decision that is signed for exactly this, and continues, also in an engine that only drives it', async () => {
    const engine = await open();
    const run = await parked(engine);
    await approve(engine, run);
    expect((await engine.run(run).wait()).status).toBe('completed');
    const log = (await engine.store.events(run, 0)).flatMap(({ events }) => events);
    expect(log.find((event) => event.type === 'run.changed' && event.change === 'decided')).toMatchObject({
      decision: { option: 'yes', actor: 'ann' },
      signed: { on: 'decision', path: 'ask#1', signature: { key: ann.fingerprint } },
    });
  });

  test('a run whose decisions are signed accepts no signature of another run, content, answer, text, person or key', async () => {
    const engine = await open();
    const [run, other] = [await parked(engine), await parked(engine)];
    const right = await asked(engine, run);
    const wrong: readonly Signature[] = [
      signed({ ...right, run: other }),
      signed({ ...right, path: 'ask#2' }),
      signed({ ...right, digest: 'f'.repeat(64) }),
      signed({ ...right, option: 'no' }),
      signed({ ...right, input: 'and more' }),
      signed({ ...right, actor: 'bob' }),
      signed(right, mallory),
      { ...signed(right), key: mallory.fingerprint },
      { ...signed(right), at: 1 },
      { key: 'x', at: 1, value: '' },
    ];
    for (const signature of wrong)
      expect(await codeOf(engine.run(run).decide({ option: 'yes', actor: 'ann', digest: right.digest, signature }))).toBe(
        'SIGNATURE_INVALID',
      );
    expect(await codeOf(engine.run(run).decide({ option: 'yes', actor: 'bob', signature: signed(right) }))).toBe('SIGNATURE_INVALID');
    expect((await engine.run(run).get()).status).toBe('waiting');
  });

  test('a run whose decisions are signed accepts a key that a known one enrolled later, and none that was revoked', async () => {
    const engine = await open();
    const [first, second] = [await parked(engine), await parked(engine)];
    changeKeyList(state, (list) => list.enrol(bob, ann, 2));
    await approve(engine, first, bob);
    expect((await engine.run(first).wait()).status).toBe('completed');
    changeKeyList(state, (list) => list.revoke('bob', ann, Date.now()));
    expect(await errorOf(approve(engine, second, bob))).toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('was revoked'),
    });
  });

  test('a run whose decisions are signed accepts no key of a list that somebody made for themselves', async () => {
    const run = await parked(await open());
    const own = KeyList.none.enrol(mallory, mallory, 1);
    const engine = await open({ ...strict, identities: () => own });
    expect(await errorOf(approve(engine, run, mallory))).toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('was not enrolled when the run started'),
    });
  });

  test('a run whose decisions are signed still needs signatures when the setting is gone, and so do its forks', async () => {
    const first = await open();
    const run = await parked(first);
    await first.close();
    const engine = await open({ workflows: [review] });
    expect(await codeOf(engine.run(run).decide({ option: 'yes', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    expect(await codeOf(engine.run(run).fork({ from: 'ask', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    const fork = await engine.run(run).fork({ from: 'ask', actor: 'ann', sign: async (statement) => sign(ann, statement, Date.now()) });
    await fork.wait('idle');
    expect(await codeOf(engine.run(fork.id).decide({ option: 'yes', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    const made = { ...(await asked(engine, run)), run: fork.id };
    await engine.run(fork.id).decide({ option: 'yes', actor: 'ann', signature: signed(made) });
    expect((await fork.wait()).status).toBe('completed');
  });

  test('a run whose decisions are signed begins after its first step, or with given results, only with a signature', async () => {
    const engine = await open();
    const by = (key: UnlockedKey) => async (statement: Statement) => sign(key, statement, Date.now());
    const start = (more: object) => engine.start(review, {}, { origin: { actor: 'ann' }, from: 'publish', ...more });
    expect(await codeOf(start({}))).toBe('SIGNATURE_REQUIRED');
    expect(await codeOf(start({ sign: by(mallory) }))).toBe('SIGNATURE_INVALID');
    expect(await codeOf(start({ from: 'draft', outputs: { draft: 'text' } }))).toBe('SIGNATURE_REQUIRED');
    expect(await engine.list()).toEqual([]);
    await (await start({ sign: by(ann) })).wait('idle');
    await (await start({ from: 'draft' })).wait('idle');
  });

  test('two spellings of a name are not two people', async () => {
    const two = defineWorkflow({ name: 'two', steps: [{ id: 'ask', human: { prompt: 'Publish?', count: 2 }, next: null }] });
    const engine = await open({ ...strict, workflows: [two] });
    const run = await parked(engine, two);
    const vote = async (actor: string, by: UnlockedKey = ann): Promise<void> => {
      const made = await asked(engine, run, { option: 'approve', actor });
      await engine.run(run).decide({ option: 'approve', actor, signature: signed(made, by) });
    };
    await vote('ann');
    expect(await codeOf(vote('Ann'))).toBe('SIGNATURE_INVALID');
    expect((await engine.run(run).get()).status).toBe('waiting');
    changeKeyList(state, (list) => list.enrol(bob, ann, 2));
    await vote('bob', bob);
    expect((await engine.run(run).wait()).status).toBe('completed');
  });

  test('a run whose decisions are signed passes the requirement on to the runs that it starts', async () => {
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: review, next: null }] });
    const first = await open({ ...strict, workflows: [parent] });
    const run = await parked(first, parent);
    await first.close();
    const engine = await open({ workflows: [parent] });
    const [child] = await engine.list({ parent: run });
    const id = child?.id ?? '';
    expect(await codeOf(engine.run(id).decide({ option: 'yes', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    await approve(engine, id);
    expect((await engine.run(run).wait()).status).toBe('completed');
  });

  test('a run whose decisions are signed needs a signature for an answer to what was assumed, also when it is over, and is proved with it', async () => {
    const guess = { question: 'Which?', assumed: 'this', severity: 'MUST' } as const;
    const assuming = defineWorkflow({
      name: 'assuming',
      steps: [
        { id: 'pick', handler: (ctx) => ({ it: [ctx.assume(guess), ctx.assume({ ...guess, question: 'When?' })] }), next: 'ask' },
        { id: 'ask', human: { prompt: 'Good?', options: [{ label: 'yes', nextStep: null }] } },
      ],
    });
    const first = await open({ ...strict, workflows: [assuming] });
    const run = await parked(first, assuming);
    const byAnn = async (statement: Statement): Promise<Signature> => sign(ann, statement, Date.now());
    const answer = { assumption: 'a1', answer: 'that', actor: 'ann' };
    expect(await codeOf(first.run(run).answerAssumption(answer))).toBe('SIGNATURE_REQUIRED');
    await first.run(run).answerAssumption({ ...answer, sign: byAnn });
    await first.run(run).wait('idle');
    await first.close();
    const engine = await open({ ...strict, workflows: [assuming] });
    await approve(engine, run);
    expect((await engine.run(run).wait()).steps.filter(({ step: name }) => name === 'pick')).toHaveLength(2);
    expect(await codeOf(engine.run(run).answerAssumption({ assumption: 'a2', agree: true, actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    await engine.run(run).answerAssumption({ assumption: 'a2', agree: true, actor: 'ann', sign: byAnn });
    expect((await engine.run(run).assumptions()).map(({ id, state: how }) => [id, how])).toEqual([
      ['a1', 'differs'],
      ['a2', 'confirmed'],
    ]);
  });

  test('a run whose decisions are signed needs a signature for each step that is passed by hand', async () => {
    const broken = defineWorkflow({
      name: 'broken',
      steps: [
        { id: 'test', handler: () => Promise.reject(new Error('red')), next: 'publish' },
        { id: 'publish', handler: () => Promise.reject(new Error('no')), next: null },
      ],
    });
    const engine = await open({ ...strict, workflows: [broken] });
    const handle = await engine.start(broken);
    await handle.wait();
    const accept = (sign_?: (statement: Statement) => Promise<Signature>) =>
      engine.run(handle.id).resume({ actor: 'ann', choice: { how: 'accept' }, ...(sign_ === undefined ? {} : { sign: sign_ }) });
    expect(await codeOf(accept())).toBe('SIGNATURE_REQUIRED');
    expect(await codeOf(engine.run(handle.id).resume({ actor: 'ann', choice: { how: 'goto', step: 'publish' } }))).toBe(
      'SIGNATURE_REQUIRED',
    );
    expect(await codeOf(engine.run(handle.id).resume({ actor: 'ann', budget: { costUsd: 5 } }))).toBe('SIGNATURE_REQUIRED');
    let kept: Signature | undefined;
    await accept(async (statement) => {
      kept = sign(ann, statement, Date.now());
      return kept;
    });
    await handle.wait();
    expect((await engine.run(handle.id).get()).error).toContain('no');
    // The same words again, about another step that failed: they were for the first.
    expect(await errorOf(accept(async () => kept as Signature))).toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('it was already used in this run'),
    });
    await accept(async (statement) => sign(ann, statement, Date.now() + 1));
    await handle.wait();
    expect((await engine.run(handle.id).get()).steps.at(-1)).toMatchObject({ step: 'publish', outcome: 'ok', actor: 'ann' });
  });
});

describe('an event at the forge in a run whose decisions are signed', () => {
  const reaction = { rule: 0, do: 'invalidate_and_restart', event: 'pull_request.synchronize', eventId: 'd1' } as const;
  const react = (engine: Engine, run: string, to: string) =>
    engine.run(run).react({ actor: 'eve', reaction, action: { do: 'back', step: to, rule: 0, max: 3 } });

  test('an event at the forge sends a run with signed decisions back without a signature, and the run is still proved', async () => {
    const engine = await open();
    const run = await parked(engine);
    await react(engine, run, 'draft');
    await engine.run(run).wait('idle');
    await engine.close();
    const again = await open();
    await again.run(run).resume();
    const view = await again.run(run).wait('idle');
    expect([view.status, view.waits.map(({ path }) => path)]).toEqual(['waiting', ['ask#2']]);
  });

  test('an event at the forge never sends a run whose decisions are signed past a question', async () => {
    const engine = await open();
    const run = await parked(engine);
    await react(engine, run, 'publish');
    const view = await engine.run(run).get();
    expect([view.status, view.waits.map(({ path }) => path)]).toEqual(['waiting', ['ask#1']]);
  });
});

test('a program signs with the key of a state folder', async () => {
  writeLockedKey(state, await ann.lock('correct horse battery'));
  const identity = await openIdentity(state, { name: 'ann', passphrase: 'correct horse battery' });
  const engine = await open();
  const run = await parked(engine);
  await engine.run(run).decide({ option: 'yes', actor: identity.name, sign: identity.sign });
  expect((await engine.run(run).wait()).status).toBe('completed');
  expect(await codeOf(openIdentity(state, { name: 'bob', passphrase: 'x' }))).toBe('KEY_MISSING');
});

describe('a question that takes a signature in a run that does not', () => {
  const one = defineWorkflow({
    name: 'one',
    steps: [
      { id: 'first', human: { prompt: 'Begin?' }, next: 'second' },
      { id: 'second', human: { prompt: 'Publish?', signed: true }, next: null },
    ],
  });

  test('in a run without signatures, only the question that asks for one needs one', async () => {
    const engine = await open({ workflows: [one] });
    const run = await parked(engine, one);
    await engine.run(run).decide({ option: 'approve', actor: 'ann' });
    expect(await codeOf(engine.run(run).decide({ option: 'approve', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    const made = await asked(engine, run, { option: 'approve' });
    await engine.run(run).decide({ option: 'approve', actor: 'ann', signature: signed(made) });
    expect((await engine.run(run).wait()).status).toBe('completed');
  });

  test('a question of a flow can need a signature in a run that needs none', async () => {
    const flow = workflow('flow', {}, function* () {
      return yield* step('ask').human({ prompt: 'Publish?', signed: true });
    });
    const engine = await open({ workflows: [flow] });
    const run = await parked(engine, flow);
    expect(await codeOf(engine.run(run).decide({ option: 'approve', actor: 'ann' }))).toBe('SIGNATURE_REQUIRED');
    const made = await asked(engine, run, { option: 'approve' });
    await engine.run(run).decide({ option: 'approve', actor: 'ann', signature: signed(made) });
    expect((await engine.run(run).wait()).status).toBe('completed');
  });

  test('a signature that is not required is still verified and recorded', async () => {
    const engine = await open({ workflows: [review] });
    const [run, other] = [await parked(engine), await parked(engine)];
    const made = await asked(engine, run);
    expect(await codeOf(engine.run(other).decide({ option: 'yes', actor: 'ann', signature: signed(made) }))).toBe('SIGNATURE_INVALID');
    await engine.run(run).decide({ option: 'yes', actor: 'ann', signature: signed(made) });
    const log = (await engine.store.events(run, 0)).flatMap(({ events }) => events);
    expect(
      log.some((event) => event.type === 'run.changed' && event.change === 'decided' && event.signed?.signature.key === ann.fingerprint),
    ).toBe(true);
  });
});

describe('what somebody wrote into the database', () => {
  /** Puts a row into the inbox as `post` does, past the engine. */
  async function post(run: string, input: RunInput): Promise<void> {
    const store = await openSqliteStore({ file: rig.db });
    expect(await store.post({ run, dedupe: `forged/${Math.random()}`, input, values: [] })).toBe('posted');
    await store.close();
  }

  test('mail without a valid signature that somebody wrote into the database is ignored, and that is logged', async () => {
    const first = await open();
    const run = await parked(first);
    const made = await asked(first, run);
    await first.close();
    const { path, digest, option } = made;
    const mail = { type: 'decided' as const, at: Date.now(), path, digest, option, actor: 'ann' };
    await post(run, mail);
    await post(run, { ...mail, signature: signed({ ...made, option: 'no' }) });
    await post(run, { ...mail, actor: 'mallory', signature: signed({ ...made, actor: 'mallory' }, mallory) });
    await post(run, { type: 'control', at: Date.now(), actor: 'ann', action: { do: 'acceptCode', code: 'x' } });
    await post(run, { type: 'settled', at: Date.now(), path, attempt: 1, outcome: 'ok' });
    const engine = await open();
    await engine.recover();
    await engine.run(run).wait('idle');
    expect((await engine.run(run).get()).status).toBe('waiting');
    const log = (await engine.store.events(run, 0)).flatMap(({ events }) => events);
    const ignored = log.flatMap((event) => (event.type === 'input.ignored' ? [`${event.input} ${event.reason}`] : []));
    expect(ignored.sort()).toEqual([
      'control not-allowed',
      'decided not-allowed',
      'decided not-allowed',
      'decided not-allowed',
      'settled not-allowed',
    ]);
    await approve(engine, run);
    expect((await engine.run(run).wait()).status).toBe('completed');
  });

  test('mail that somebody wrote into the database does not end a child that still asks', async () => {
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: review, next: null }] });
    const first = await open({ ...strict, workflows: [parent] });
    const run = await parked(first, parent);
    const [child] = await first.list({ parent: run });
    await first.close();
    for (const id of [child?.id ?? '', 'nobody'])
      await post(run, { type: 'childEnded', at: Date.now(), path: 'child#1', child: id, status: 'completed' });
    const engine = await open({ ...strict, workflows: [parent] });
    await engine.recover();
    await engine.run(run).wait('idle');
    expect((await engine.run(run).get()).status).toBe('waiting');
  });

  /** A store that gives another log, or another state, than the one on disk: what an attacker makes who mends every hash. */
  async function forged(change: (row: string) => string): Promise<Engine> {
    const store = await openSqliteStore({ file: rig.db });
    const events = store.events.bind(store);
    store.events = async (...words) => (await events(...words)).map((row) => JSON.parse(change(JSON.stringify(row))));
    return open({ ...strict, store });
  }

  test.each([
    ['another answer', (row: string) => row.replaceAll('"option":"rework"', '"option":"yes"'), 'signed something else'],
    ['another text', (row: string) => row.replaceAll('"input":"shorter"', '"input":"longer"'), 'signed something else'],
    ['another person', (row: string) => row.replaceAll('"actor":"ann"', '"actor":"bob"'), 'signed by "ann"'],
    ['no signature', (row: string) => row.replace(/,"signed":\{"on":.*?\}\}/, ''), 'is not signed'],
    [
      'no decision',
      (row: string) => row.replace(/\{"type":"run.changed","at":\d+,"change":"decided",.*?"signed":\{"on":.*?\}\}.*?\},/, ''),
      'without the signed decisions',
    ],
    ['another question', (row: string) => row.replace('"on":"decision","path":"ask#1"', '"on":"decision","path":"ask#2"'), 'is not valid'],
    ['another way', (row: string) => row.replace('"outcome":"ok","to":"draft"', '"outcome":"ok","to":"publish"'), 'leads to "draft"'],
    [
      'other keys',
      (row: string) => row.replace(/"keys":\[.*?\]/, `"keys":["${mallory.fingerprint}"]`),
      'was not enrolled when the run started',
    ],
    [
      'another state',
      (row: string) => row.replace('"text":"hello"', '"text":"bye"').replaceAll('ask#2', 'ask#3'),
      'does not give its stored state',
    ],
  ])('%s in the log is damage, and the run is not driven', async (_, change, what) => {
    const first = await open();
    const run = await parked(first);
    const made = await asked(first, run, { option: 'rework', input: 'shorter' });
    await first.run(run).decide({ option: 'rework', actor: 'ann', input: 'shorter', signature: signed(made) });
    await first.run(run).wait('idle');
    await first.close();
    const engine = await forged(change);
    expect(await errorOf(engine.run(run).resume())).toMatchObject({ code: 'RUN_DAMAGED', message: expect.stringContaining(what) });
    await engine.close();
    const sound = await open();
    await approve(sound, run);
    expect((await sound.run(run).wait()).status).toBe('completed');
  });

  test('another definition than the one a run was started with is damage', async () => {
    const first = await open();
    const run = await parked(first);
    await first.close();
    const store = await openSqliteStore({ file: rig.db });
    const claim = store.claim.bind(store);
    store.claim = async (...words) => {
      const claimed = await claim(...words);
      return JSON.parse(JSON.stringify(claimed).replaceAll('"step":"publish"', '"step":"draft"'));
    };
    const engine = await open({ ...strict, store });
    expect(await errorOf(engine.run(run).resume())).toMatchObject({
      code: 'RUN_DAMAGED',
      message: expect.stringContaining('the stored definition'),
    });
    await engine.close();
  });

  test('an edited row of the log is found even if no later record was read', async () => {
    const first = await open();
    const run = await parked(first);
    await first.close();
    const db = new DatabaseSync(rig.db);
    expect(db.prepare("UPDATE events SET body = replace(body, 'draft', 'drift') WHERE seq = 1").run().changes).toBe(1);
    db.close();
    const engine = await open();
    expect(await codeOf(engine.run(run).resume())).toBe('RUN_DAMAGED');
  });
});

test('a person who signs a digest has been shown what it stands for', async () => {
  const engine = await open();
  const run = await parked(engine);
  const [approval] = await engine.run(run).approvals();
  if (approval === undefined) throw new Error('nothing is asked');
  expect(isAsShown(approval)).toBe(true);
  expect(isAsShown({ ...approval, shown: { text: 'harmless' } })).toBe(false);
});
