// Owns a server with many runs that are parked for other issues and pull requests, and the cost of one event there.

import { join } from 'node:path';
import { expect } from 'vitest';
import type { Engine } from '../../src/api/engine.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Forge, ForgeEvent } from '../../src/forge/forge.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { relayForge } from '../../src/forge/relay.ts';
import { git } from '../git.ts';
import { EventRig } from './event-rig.ts';
import { countReads, parkRuns } from './parked-runs.ts';

/** How often a parked run was read until the run of an event had reacted, and how long that took. */
export interface ParkedCost {
  readonly reads: number;
  readonly ms: number;
}

interface Scene {
  readonly workflow: AnyWorkflow;
  /** Prepares the forge, and returns the subject of the run and a function that sends its event. */
  prepare(
    place: Place,
  ): Promise<{ readonly facts: Record<string, number>; happen(): Promise<Pick<ForgeEvent, 'event'> & Partial<ForgeEvent>> }>;
  hasReacted(engine: Engine, run: string): Promise<boolean>;
}

interface Place {
  readonly forge: Forge;
  readonly repository: string;
}

async function costBeside(parked: number, scene: Scene): Promise<ParkedCost> {
  const rig = new EventRig();
  const repository = join(rig.folder, 'repository');
  git(rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const forge = await openLocalForge({ repository, state: join(rig.folder, 'forge.db'), now: () => rig.clock.now(), actor: 'eve' });
  const source = { ...forge, watch: () => () => undefined };
  const relay = relayForge(source);
  const { engine, server } = await rig.open({
    ...{ workflows: [scene.workflow], engine: { forge: relay.forge }, events: { forge: { forge: source, onEvent: relay.publish } } },
  });
  try {
    const { facts, happen } = await scene.prepare({ forge, repository });
    await parkRuns(engine.store, parked);
    const { id } = await engine.start(scene.workflow, {}, { facts });
    await engine.run(id).wait('idle');
    const event = await happen();
    const reads = countReads(engine.store);
    const body = { id: 'one', at: rig.clock.now(), actor: 'eve', ...event };
    const since = performance.now();
    server.services.deliveries.receive({
      ...{ route: 'local', id: 'one', event: event.event, headers: { 'x-pawl-source': 'watch' }, body, key: 'one' },
    });
    await expect.poll(() => scene.hasReacted(engine, id), { timeout: 60_000 }).toBe(true);
    return { reads: reads(), ms: performance.now() - since };
  } finally {
    await rig.close();
    await forge.close();
  }
}

/** Closes an issue whose run reacts to that. */
export function closeBeside(parked: number): Promise<ParkedCost> {
  return costBeside(parked, {
    workflow: defineWorkflow({
      name: 'reacting',
      onEvents: [{ event: 'issues.closed', do: 'cancel' }],
      facts: ['issue_number'],
      steps: [{ id: 'wait', signal: 'go', next: null }],
    }),
    prepare: async ({ forge }) => {
      await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue');
      return { facts: { issue_number: 1 }, happen: async () => ({ event: 'issues.closed', issue: 1 }) };
    },
    hasReacted: async (engine, run) => (await engine.run(run).get()).status === 'cancelled',
  });
}

/** Pushes to the base branch of a pull request whose gate waits, and sends an event with only the commit and the branch. */
export function pushBeside(parked: number): Promise<ParkedCost> {
  return costBeside(parked, {
    workflow: defineWorkflow({
      name: 'gated',
      facts: ['pr_number'],
      steps: [
        {
          id: 'gate',
          gate: { checks: [{ check: 'label_present', label: 'ok', target: 'pr' }, { check: 'branch_up_to_date' }] },
          next: { ok: null, fail: 'behind' },
        },
        { id: 'behind', signal: 'go', next: null },
      ],
    }),
    prepare: async ({ forge, repository }) => {
      git(repository, 'branch', 'topic');
      git(repository, 'checkout', '--quiet', 'topic');
      git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'work');
      git(repository, 'checkout', '--quiet', 'main');
      const opened = await forge.openPullRequest({ title: 'Topic', body: '', head: 'topic', base: 'main' }, 'open');
      if (opened.result !== 'ok') throw new Error(opened.message);
      const happen = async () => {
        git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'later');
        return { event: 'push', sha: git(repository, 'rev-parse', 'HEAD').trim(), branch: 'main' };
      };
      return { facts: { pr_number: opened.value.number }, happen };
    },
    hasReacted: async (engine, run) => (await engine.run(run).get()).currentStep === 'behind',
  });
}
