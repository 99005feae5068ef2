// Approvals of several people at the command line, about files that may change under their eyes.

import { userInfo } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write('.pawl/config.yaml', 'groups: { maintainers: [ann, bob] }\n');
  rig.write('plan.md', 'one');
  rig.write(
    '.pawl/workflows/ship.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ship }
stages:
  - { id: ask, type: human, prompt: "Ship it?", from: maintainers, count: 2, subjects: [plan.md] }
  - { id: ship, type: command, run: "touch shipped" }
`,
  );
  await rig.run(['trust', '--yes']);
});
afterEach(() => rig.close());

interface Approvals {
  readonly approvals: readonly { readonly run: string; readonly digest: string; readonly votes: readonly { readonly actor: string }[] }[];
}

async function approve(who: string): ReturnType<CliRig['run']> {
  const [approval] = (await rig.json<Approvals>(['inbox'])).approvals;
  const PAWL_TOKEN = await tokenOf(rig, who);
  return rig.run(['approve', approval?.run ?? '', '--digest', approval?.digest ?? ''], { env: { PAWL_TOKEN } });
}

test('an approval by two of a group needs two of its members, and no one else can approve', async () => {
  expect((await rig.run(['run', 'ship'])).code).toBe(3);
  const shown = (await rig.run(['inbox', (await rig.json<Approvals>(['inbox'])).approvals[0]?.run ?? ''])).stdout;
  // What it is about may have changed since, and the inbox only reads what was stored.
  expect(shown).toMatch(/This is the state when the approval was requested; "pawl decide \w+" shows the current one\./);
  expect(shown).toContain('for maintainers, needs 2 people, votes so far: none');
  expect(shown).toContain('about 1 file: plan.md');
  const stranger = await approve('eve');
  expect([stranger.code, stranger.stderr]).toEqual([4, expect.stringContaining('"eve" is not a member')]);
  expect((await approve('ann')).code).toBe(3);
  expect((await rig.json<Approvals>(['inbox'])).approvals[0]?.votes).toMatchObject([{ actor: 'ann' }]);
  expect((await approve('bob')).code).toBe(0);
});

test('a file that changed after it was shown voids the decision, by name', async () => {
  await rig.run(['run', 'ship']);
  const [approval] = (await rig.json<Approvals>(['inbox'])).approvals;
  rig.write('plan.md', 'two');
  const PAWL_TOKEN = await tokenOf(rig, 'ann');
  const decided = await rig.run(['approve', approval?.run ?? '', '--digest', approval?.digest ?? ''], { env: { PAWL_TOKEN } });
  expect([decided.code, decided.stderr]).toEqual([2, expect.stringContaining('plan.md changed')]);
  expect((await approve('bob')).code).toBe(3);
});

test('"pawl decide" shows the current subjects and what changed since they were requested, and the decision counts', async () => {
  const me = userInfo().username;
  rig.write('.pawl/config.yaml', `groups: { maintainers: [ann, ${JSON.stringify(me)}] }\n`);
  await rig.run(['trust', '--yes']);
  await rig.run(['run', 'ship']);
  const [approval] = (await rig.json<Approvals>(['inbox'])).approvals;
  rig.write('plan.md', 'two');
  const terminal = rig.terminal(['decide', approval?.run ?? '']);
  expect(await terminal.until('Your answer')).toContain('Asked again: changed since it was shown: plan.md changed');
  terminal.type('approve\r');
  expect(await terminal.ended).toBe(3);
  const [now] = (await rig.json<Approvals>(['inbox'])).approvals;
  expect([now?.votes, now?.digest === approval?.digest]).toEqual([[expect.objectContaining({ actor: me })], false]);
});

test('a person who has decided at the terminal is not asked again, and the run waits for the others', async () => {
  const me = userInfo().username;
  rig.write('.pawl/config.yaml', `groups: { maintainers: [ann, ${JSON.stringify(me)}] }\n`);
  await rig.run(['trust', '--yes']);
  const terminal = rig.terminal(['run', 'ship']);
  await terminal.until('Your answer');
  terminal.type('approve\r');
  const again = terminal.until(/Your answer[\s\S]*Your decision[\s\S]*Your answer/).catch(() => 'not asked again');
  expect(await again).toBe('not asked again');
  expect(await terminal.ended).toBe(3);
  expect((await rig.json<Approvals>(['inbox'])).approvals[0]?.votes).toMatchObject([{ actor: me }]);
  expect((await approve('ann')).code).toBe(0);
});

test('people who choose different options are asked again until they agree', async () => {
  rig.write(
    '.pawl/workflows/way.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: way }
stages:
  - { id: ask, type: human, prompt: "Which way?", count: 2, options: [{ label: left, goto: left }, { label: right, goto: right }, { label: stop, goto: fail }] }
  - { id: left, type: command, run: "touch left", on_complete: complete }
  - { id: right, type: command, run: "touch right", on_complete: complete }
`,
  );
  await rig.run(['trust', '--yes']);
  expect((await rig.run(['run', 'way'])).code).toBe(3);
  const tokens = { ann: await tokenOf(rig, 'ann'), bob: await tokenOf(rig, 'bob') };
  const choose = async (who: 'ann' | 'bob', option: string): Promise<number | null> => {
    const [approval] = (await rig.json<Approvals>(['inbox'])).approvals;
    const words = ['decide', approval?.run ?? '', '--option', option, '--yes', '--digest', approval?.digest ?? ''];
    return (await rig.run(words, { env: { PAWL_TOKEN: tokens[who] } })).code;
  };
  expect(await choose('ann', 'left')).toBe(3);
  expect((await rig.json<Approvals>(['inbox'])).approvals).toMatchObject([{ votes: [{ actor: 'ann' }], split: null, signed: false }]);
  expect(await choose('bob', 'right')).toBe(3);
  const split = {
    times: 1,
    votes: [
      { actor: 'ann', option: 'left' },
      { actor: 'bob', option: 'right' },
    ],
  };
  expect((await rig.json<Approvals>(['inbox'])).approvals).toMatchObject([{ votes: [], split }]);
  expect(await choose('ann', 'right')).toBe(3);
  expect(await choose('bob', 'right')).toBe(0);
});
