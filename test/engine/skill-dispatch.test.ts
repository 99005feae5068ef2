// Sub-agents of a skill: each does a child run with its own token, and whoever sends them off sees none of their work.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenWork, readAttendedRun, sourceOfEngine } from '../../src/attended/attended-run.ts';
import { onlyToken, type Reply, submit, workIn } from '../../src/attended/submission.ts';
import type { Json } from '../../src/base/json.ts';
import { defineWorkflow, type Engine } from '../../src/index.ts';
import { arg, defineSkill, type Skill, skillWorkflow } from '../../src/skills/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const write = (path: string, text: string): void => {
  mkdirSync(dirname(rig.path(path)), { recursive: true });
  writeFileSync(rig.path(path), text);
};
const step = (id: string, more: object = {}) => ({ id, title: id, actions: [`Do ${id}.`], ...more });
const skillOf = (name: string, steps: readonly object[], params = {}): Skill =>
  defineSkill({ name, description: 'Does it. Use it now.', params, steps: steps as Skill['steps'] });

const look = skillOf(
  'look',
  [step('open', { actions: ({ params }: { params: { at: string } }) => [`Open ${params.at}.`] }), step('tell')],
  { at: arg({ type: 'string', required: true }) },
);
const fan = skillOf('fan', [
  step('plan'),
  step('explore', {
    dispatch: { agent: 'explore', skill: 'look', params: { at: '{item}' }, each: { document: 'plan.md', ids: 'A-\\d+' }, returns: 12 },
  }),
  step('end'),
]);
const workflows = [
  defineWorkflow({ ...skillWorkflow(look), name: 'look' }),
  defineWorkflow({ ...skillWorkflow(fan), name: 'fan' }),
] as const;

async function begin() {
  const engine = await rig.open({ workflows });
  const run = await engine.start(workflows[1], {}, { facts: { $attended: true } });
  await run.wait('idle');
  return { engine, id: run.id };
}

const openIn = async (engine: Engine, id: string) => workIn(await readAttendedRun(sourceOfEngine(engine), id));
const report = (engine: Engine, root: string, { run, token, result = {} }: OpenWork & { readonly result?: Json }): Promise<Reply> =>
  submit(engine, { run, root, submission: { kind: 'result', token, result } });
const shown = (reply: Reply) => workIn(reply.run).map(({ step: id, item, dispatch }) => [id, item, dispatch?.agent]);

test('AT8: one sub-agent per name of a document works at once, and gets its own steps only', async () => {
  const { engine, id } = await begin();
  write('plan.md', 'A-1 the parser\nA-2 the printer\n');
  const [plan] = await openIn(engine, id);
  const sent = await report(engine, id, plan as OpenWork);
  expect(workIn(sent.run).map(({ step: name, dispatch }) => [name, dispatch?.agent, dispatch?.returns])).toEqual([
    ['open', 'explore', 12],
    ['open', 'explore', 12],
  ]);
  const [one, two] = workIn(sent.run) as [OpenWork, OpenWork];
  expect([one.run === two.run, one.run === id]).toEqual([false, false]);
  // The token gives the work itself, and the reply the next step of the same child, not that of the sibling.
  const mine = onlyToken([await readAttendedRun(sourceOfEngine(engine), one.run)], one.token);
  expect(workIn(mine.run)[0]?.prompt).toContain('Open A-1.');
  const next = await report(engine, id, one);
  expect(shown(next)).toEqual([['tell', undefined, undefined]]);
  expect(next.only).toBe(true);
  await expect(report(engine, id, { ...(workIn(next.run)[0] as OpenWork), result: { text: 'word '.repeat(13) } })).rejects.toThrow(
    'at most 12 are allowed',
  );
  const done = await report(engine, id, { ...(workIn(next.run)[0] as OpenWork), result: { found: 'one bug' } });
  expect([done.dispatch?.returns, shown(done)]).toEqual([12, []]);
  await report(engine, id, two);
  const [last] = (await openIn(engine, id)) as [OpenWork];
  await report(engine, id, { ...last, result: { found: 'nothing' } });
  expect((await openIn(engine, id)).map((work) => [work.step, work.dispatch])).toEqual([['end', undefined]]);
});

test('a new session goes on in the middle of a parallel dispatch', async () => {
  const { engine, id } = await begin();
  write('plan.md', 'A-1 the parser\nA-2 the printer\n');
  await report(engine, id, (await openIn(engine, id))[0] as OpenWork);
  await report(engine, id, (await openIn(engine, id))[0] as OpenWork);
  await engine.close();
  const later = await rig.open({ workflows });
  const open = await openIn(later, id);
  expect(open.map(({ step: name, dispatch }) => [name, dispatch?.agent])).toEqual([
    ['tell', 'explore'],
    ['open', 'explore'],
  ]);
  for (let left = 3; left > 0; left -= 1) await report(later, id, (await openIn(later, id)).at(-1) as OpenWork);
  expect((await openIn(later, id)).map((work) => work.step)).toEqual(['end']);
});

test('a review is sent off to a fresh agent, which gets nothing of what the others reported', async () => {
  const reviewed = skillOf('fan', [step('work'), step('review', { fresh: true }), step('end')]);
  const workflow = defineWorkflow({ ...skillWorkflow(reviewed), name: 'reviewed' });
  const engine = await rig.open();
  const run = await engine.start(workflow, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [work] = await openIn(engine, run.id);
  const sent = await report(engine, run.id, { ...(work as OpenWork), result: { claim: 'it is perfect' } });
  const [review] = workIn(sent.run) as [OpenWork];
  expect(review.dispatch).toMatchObject({ fresh: true });
  const mine = onlyToken([await readAttendedRun(sourceOfEngine(engine), run.id)], review.token);
  expect(workIn(mine.run)[0]?.prompt).not.toContain('it is perfect');
  const done = await report(engine, run.id, review);
  expect([done.only, shown(done)]).toEqual([true, []]);
  const again = await report(engine, run.id, review);
  expect([again.only, shown(again)]).toEqual([true, []]);
  expect((await openIn(engine, run.id)).map(({ step: name }) => name)).toEqual(['end']);
});
