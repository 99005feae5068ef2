// Events of the local forge start workflows, so that it works without an account; a server also receives events from before
// it started.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiledOf } from '../../src/api/workflow-source.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { step, workflow } from '../../src/index.ts';
import { git } from '../git.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
let forge: LocalForge;
beforeEach(async () => {
  rig = new EventRig();
  git(rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
  forge = await openLocalForge({ repository: join(rig.folder, 'repository'), state: join(rig.folder, 'forge.db') });
});
afterEach(async () => {
  await rig.close();
  await forge.close();
});

const fix = {
  ...compiledOf(
    workflow('fix', function* () {
      return yield* step('hear').signal('go');
    }),
  ),
  trigger: { event: 'issues.labeled', label: 'bug', labels: [], baseBranches: [] },
};
const open = (): Promise<Opened> => rig.open({ workflows: [fix], events: { forge: { forge } } });
const issuesOf = async ({ engine }: Opened) => (await engine.list()).map(({ origin }) => origin.issue).sort();
const report = async (title: string): Promise<void> => void (await forge.createIssue({ title, body: '', labels: ['bug'] }, `key/${title}`));

test('a label on the local forge starts the workflow, also one that was added while no server ran', async () => {
  const first = await open();
  await report('one');
  await expect.poll(() => issuesOf(first)).toEqual([1]);
  await first.close();
  await report('two');
  const second = await open();
  await expect.poll(() => issuesOf(second)).toEqual([1, 2]);
  const [{ id } = { id: '' }] = await second.engine.list();
  expect((await second.engine.store.data(id, ['labels'])).get('labels')).toEqual(['bug']);
});

test('events from before the first server start nothing', async () => {
  await report('old');
  const opened = await open();
  await report('new');
  await expect.poll(() => issuesOf(opened)).toEqual([2]);
});

test('an event that triggers no workflow starts nothing', async () => {
  const opened = await rig.open({ workflows: [], events: { forge: { forge } } });
  await report('one');
  await expect
    .poll(async () => ((await opened.ask('GET', '/api/v1/deliveries')).body as { deliveries: { reason: string }[] }).deliveries)
    .toMatchObject([{ reason: 'no workflow starts on issues.labeled' }, { reason: 'no workflow starts on issues.opened' }]);
  expect(await opened.engine.list()).toEqual([]);
});
