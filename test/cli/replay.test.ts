// `pawl trigger`: an event of the forge by hand, on a local forge.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../git.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  git(rig.project, 'init', '--quiet', '--initial-branch=main');
  rig.write('.pawl/config.yaml', 'forge: { kind: local }\n');
  rig.write(
    '.pawl/workflows/fix.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: fix }
trigger: { event: issues.labeled, conditions: { label: bug } }
context: { title: "{{ trigger.issue.title }}" }
stages:
  - { id: say, type: command, run: 'printf %s "$TITLE" > "${join(rig.folder, 'said')}"', env: { TITLE: "{{ context.title }} {{ issue_number }}" } }
`,
  );
  git(rig.project, 'add', '--all');
  git(rig.project, 'commit', '--quiet', '-m', 'begin');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

interface Replayed {
  readonly delivery: { readonly status: string; readonly run: string | null; readonly reason: string | null; readonly event: string };
}
const EVENT = { action: 'labeled', issue: { number: 7, title: 'Broken', labels: [{ name: 'bug' }] }, label: { name: 'bug' } };
const replay = (payload: object, ...more: string[]) =>
  rig.json<Replayed>(['trigger', '--event', 'issues', '--payload', JSON.stringify(payload), ...more]);

test('an event starts the workflow that it triggers, drives it, and is kept as a delivery', async () => {
  const { delivery } = await replay(EVENT, '--id', 'by-hand');
  expect(delivery).toMatchObject({ status: 'done', event: 'issues.labeled', run: expect.any(String) });
  expect(readFileSync(join(rig.folder, 'said'), 'utf8')).toBe('Broken 7');
  const { runs } = await rig.json<{ runs: { id: string; status: string }[] }>(['runs']);
  expect(runs).toMatchObject([{ id: delivery.run, status: 'completed' }]);
  const again = await rig.run(['trigger', '--event', 'issues.labeled', '--payload', '{}', '--id', 'by-hand']);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('delivery "by-hand" already exists')]);
});

test('"pawl trigger" says why an event started nothing, and rejects an unknown event', async () => {
  expect((await replay({ ...EVENT, label: { name: 'docs' } })).delivery).toMatchObject({
    status: 'ignored',
    reason: '"fix": it starts when the label "bug" is added, but "docs" was',
  });
  expect((await rig.run(['trigger', '--event', 'issues.labelled'])).stderr).toContain('issues.labeled');
  expect((await rig.run(['trigger'])).code).toBe(2);
  expect((await rig.run(['trigger', '--event', 'push', '--payload', '{}'])).stdout).toContain(
    'push started nothing: no workflow starts on push',
  );
});

test('without a forge "pawl trigger" says how to configure one', async () => {
  rig.write('.pawl/config.yaml', 'project: { default_branch: main }\n');
  expect((await rig.run(['trigger', '--event', 'push'])).stderr).toContain('forge: { kind: local }');
});

describe('an event by hand says whatever somebody wrote into it', () => {
  const workflow = (more: string): string =>
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ask }\n${more}\nstages: [{ id: ask, type: human, prompt: "Ship it?", wait_for: label, label: ship }]\n`;
  const ISSUE = { number: 1, title: 'Ship?', labels: [{ name: 'ship' }] };

  test.each([
    { rule: 'FD4: so it decides no question', more: '', action: 'labeled', reason: 'it does not decide "ask" of run' },
    {
      ...{ rule: 'FR5: so it cancels no run', more: 'on_events: { issues.closed: cancel }' },
      ...{ action: 'closed', reason: 'does not react: it was replayed by hand' },
    },
  ])('$rule', async ({ more, action, reason }) => {
    rig.write('.pawl/workflows/ask.yaml', workflow(more));
    await rig.run(['forge', 'issue', 'create', '--title', 'Ship?']);
    const { run } = await rig.json<{ run: { id: string } }>(['run', 'ask', '--issue', '1']);
    const { delivery } = await replay({ action, issue: ISSUE, label: { name: 'ship' } });
    expect(delivery).toMatchObject({ status: 'ignored', reason: expect.stringContaining(reason) });
    expect(delivery.reason).toContain('replayed by hand');
    expect(await rig.json(['show', run.id])).toMatchObject({ run: { status: 'waiting' } });
  });
});

test('FT4: a workflow whose role gets a secret does not start for a pull request from a fork', async () => {
  rig.write(
    '.pawl/config.yaml',
    'forge: { kind: local }\nsecrets: { KEY: { env: KEY } }\nroles:\n  helper: { driver: command, argv: ["true"], env: { API_KEY: { secret: KEY } } }\n  other: { driver: command, argv: ["true"] }\n',
  );
  for (const [name, agent] of [
    ['review', 'helper'],
    ['look', 'other'],
  ])
    rig.write(
      `.pawl/workflows/${name}.yaml`,
      `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\nstages: [{ id: work, type: agent, agent: ${agent}, action: review }]\n`,
    );
  rig.write(
    '.pawl/workflows/above.yaml',
    'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: above }\nstages: [{ id: below, type: workflow, workflow: review }]\n',
  );
  const fork = join(rig.folder, 'fork');
  git(rig.folder, 'clone', '--quiet', rig.project, fork);
  git(fork, 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
  git(fork, 'branch', 'theirs');
  await rig.run(['forge', 'pr', 'create', '--head', 'theirs', '--fork', fork]);
  const start = async (name: string) =>
    (await rig.json<Replayed>(['trigger', '--event', 'pull_request.labeled', '--payload', payloadOf(name)])).delivery;
  const payloadOf = (name: string): string => JSON.stringify({ pull_request: { number: 1 }, label: { name: `workflow:${name}` } });
  expect(await start('review')).toMatchObject({ run: null, reason: expect.stringContaining('uses the role "helper", which gets secrets') });
  expect(await start('above')).toMatchObject({ run: null, reason: expect.stringContaining('uses the role "helper", which gets secrets') });
  expect(await start('look')).toMatchObject({ run: expect.any(String) });
});
