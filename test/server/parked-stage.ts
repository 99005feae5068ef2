// Owns a server with many runs that are parked for other issues, and what one event about an issue costs there.

import { join } from 'node:path';
import { expect } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { relayForge } from '../../src/forge/relay.ts';
import { git } from '../git.ts';
import { EventRig } from './event-rig.ts';
import { countReads, parkRuns } from './parked-runs.ts';

/** Closes an issue whose run reacts to that. Returns how often a parked run was read, and how long it took until the run had reacted. */
export async function closeBeside(parked: number): Promise<{ readonly reads: number; readonly ms: number }> {
  const rig = new EventRig();
  const repository = join(rig.folder, 'repository');
  git(rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const forge = await openLocalForge({ repository, state: join(rig.folder, 'forge.db'), now: () => rig.clock.now(), actor: 'eve' });
  await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue');
  const workflow = defineWorkflow({
    name: 'reacting',
    onEvents: [{ event: 'issues.closed', do: 'cancel' }],
    facts: ['issue_number'],
    steps: [{ id: 'wait', signal: 'go', next: null }],
  });
  const source = { ...forge, watch: () => () => undefined };
  const relay = relayForge(source);
  const engineOptions = { forge: relay.forge };
  const { engine, server } = await rig.open({
    ...{ workflows: [workflow], engine: engineOptions, events: { forge: { forge: source, tell: relay.tell } } },
  });
  try {
    await parkRuns(engine.store, parked);
    const { id } = await engine.start(workflow, {}, { facts: { issue_number: 1 } });
    await engine.run(id).wait('idle');
    const reads = countReads(engine.store);
    const body = { id: 'closed', event: 'issues.closed', at: rig.clock.now(), actor: 'eve', issue: 1, cursor: '' };
    const since = performance.now();
    server.services.deliveries.receive({
      ...{ route: 'local', id: 'closed', event: 'issues.closed', headers: { 'x-pawl-way': 'watch' }, body, key: 'closed' },
    });
    await expect.poll(async () => (await engine.run(id).get()).status, { timeout: 60_000 }).toBe('cancelled');
    return { reads: reads(), ms: performance.now() - since };
  } finally {
    await rig.close();
    await forge.close();
  }
}
