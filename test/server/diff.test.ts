// The files that a run changed: by HTTP, in the inbox, and on the page where a person decides from a phone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from '../../src/index.ts';
import { createDecideLink } from '../../src/server/access/decide/link.ts';
import type { InboxPage, RunDiff } from '../../src/server/contract.ts';
import { createRepository } from '../git.ts';
import { tempFolder } from '../temp-folder.ts';
import { AccessRig } from './access-rig.ts';

const SECRET = 'hunter2hunter2';
const HOSTILE = `<img src=x onerror=alert(1)>\u202e ${SECRET}\n`;
let project: string;
let rig: AccessRig;

const ask = () => step('ask').human({ prompt: 'Merge?', options: [{ label: 'approve' }] });
const write = (content: string) => step('write').task({ onFail: 'restore', action: () => writeFileSync(join(project, 'text'), content) });
const change = workflow('change', function* () {
  yield* write(HOSTILE);
  yield* ask();
});
const large = workflow('large', function* () {
  yield* write('a line of text that is long\n'.repeat(60_000));
  yield* ask();
});
const nothing = workflow('nothing', function* () {
  yield* ask();
});
const above = workflow('above', function* () {
  yield* write('<img of another run>\n');
  yield* step('below').workflow(nothing);
});

beforeEach(async () => {
  project = tempFolder();
  createRepository(project, { text: 'one\n' });
  rig = await AccessRig.open({ workflows: [change, large, nothing, above], cwd: project, secrets: { TOKEN: SECRET } });
});
afterEach(() => rig.close());

async function parked(name: string): Promise<string> {
  const run = await rig.engine.start(name, {} as never);
  await run.wait('idle');
  return run.id;
}

const get = async <T>(path: string): Promise<T> => (await rig.send('GET', path, { token: rig.token('ann') })).json<T>();
const diffOf = (run: string, query = ''): Promise<RunDiff> => get(`/api/v1/runs/${run}/diff${query}`);

async function pageOf(run: string): Promise<string> {
  rig.person('ann');
  const place = { access: rig.access, store: rig.engine.store, addresses: rig.server.services.addresses() };
  const { url } = await createDecideLink(place, { run, person: 'ann', by: 'test' });
  return (await rig.send('GET', new URL(url).pathname)).text;
}

test('the diff of a run has its files and its text, with secrets masked', async () => {
  const run = await parked('change');
  const whole = await diffOf(run);
  expect(whole).toMatchObject({
    hasSnapshots: true,
    files: [{ path: 'text', what: 'changed', lines: { added: 1, deleted: 1 } }],
    steps: [{ path: 'write#1', step: 'write', attempt: 1, ended: 'ok' }],
    diff: { truncated: false },
  });
  expect(whole.diff.text).toContain('-one\n+<img src=x onerror=alert(1)>\u202e ');
  expect(whole.diff.text).not.toContain(SECRET);
  expect((await diffOf(run, '?step=write')).diff).toEqual(whole.diff);
  expect(await diffOf(run, '?step=wirte')).toMatchObject({ status: 404, code: 'STEP_UNKNOWN' });
});

test('a run without snapshots has no diff, and a run that does not exist is an error', async () => {
  expect(await diffOf(await parked('nothing'))).toMatchObject({ hasSnapshots: false, files: [], diff: { text: '', truncated: false } });
  expect(await diffOf('none')).toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
});

test('an approval in the inbox has the diff of its run, or of the run that started it, cut off if it is long', async () => {
  for (const name of ['change', 'nothing', 'above', 'large']) await parked(name);
  const items = (await get<InboxPage>('/api/v1/inbox')).items.filter((item) => item.kind === 'approval');
  const seen = items.map(({ diff, diffTruncated }) => [diff?.includes('+<img') ?? false, diff?.length ?? 0, diffTruncated ?? false]);
  expect(seen).toEqual([
    [true, expect.any(Number), false],
    [false, 0, false],
    [true, expect.any(Number), false],
    [false, expect.any(Number), true],
  ]);
  expect(items[3]?.diff?.length).toBeLessThanOrEqual(64 * 1024);
  expect(items[3]?.diff?.endsWith('that is long\n')).toBe(true);
});

test('the page of a decision shows the changed files as inert text, and says where they are cut off', async () => {
  const page = await pageOf(await parked('change'));
  expect(page).toContain('+&lt;img src=x onerror=alert(1)&gt;&lt;U+202E&gt; ');
  expect(page).not.toContain(SECRET);
  const run = await parked('large');
  const cut = await pageOf(run);
  expect(cut).toContain('Truncated: the diff has 1700 kB.');
  expect(cut.length).toBeLessThan(140 * 1024);
});
