// A review from the command line: its roles are checked before a run, and an attended agent sends new reviewers off.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTrusted } from './attended-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const FILE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ship }
stages:
  - id: quality
    type: review
    subject: the announcement
    reviewer: reviewer
    fixer: writer
    items:
      - { id: claims, severity: MUST, question: Is every claim true? }
      - { id: date, severity: COULD, question: Is there a date? }
    on_complete: complete
`;

test('a missing role is reported at its position, before anything runs', async () => {
  rig.write('.pawl/workflows/ship.yaml', FILE);
  rig.write('.pawl/config.yaml', 'roles: { reviewer: { driver: command, argv: [cat] } }\n');
  const { code, stdout } = await rig.run(['validate']);
  expect(code).toBe(2);
  expect(stdout).toContain('ship.yaml:9:12  error ROLE_UNKNOWN');
});

test('an attended agent dispatches a new reviewer for each item, and fixes what they find itself', async () => {
  writeTrusted(rig, '.pawl/workflows/ship.yaml', FILE);
  const started = await rig.run(['run', 'ship', '--attended']);
  const sent = [...started.stdout.matchAll(/pawl (next \S+ --token=[\w-]+)/g)].map(([, words = '']) => words.split(' '));
  expect(sent).toHaveLength(2);
  expect(started.stdout).toContain('An agent that did none of the work has to do this step');
  expect(started.stdout).not.toContain('Is every claim true?');
  const report = async (words: readonly string[], status: string): Promise<string> => {
    const { stdout } = await rig.run(words);
    expect(stdout).toContain('Verify the one item');
    const [, done = ''] = /^ {2}pawl (done \S+ --token=\S+)/m.exec(stdout) ?? [];
    return (await rig.run([...done.split(' '), '--result', JSON.stringify({ status, evidence: 'text.md:1' })])).stdout;
  };
  const [claims = [], date = []] = sent;
  await report(claims, 'fail');
  await report(date, 'pass');
  const [, run = ''] = /pawl next (\S+)$/m.exec(started.stdout) ?? [];
  const { stdout } = await rig.run(['next', run]);
  expect(stdout).toContain('Fix what the review found');
  expect(stdout).toContain('Is every claim true?');
});

test('a review round that does not pass is shown as rejected, and the person after the last round sees the blocking findings', async () => {
  const answer = JSON.stringify({
    success: true,
    output: { status: 'fail', evidence: 'text.md:1 is wrong', findings: [{ severity: 'COULD', text: 'a long title' }] },
  });
  rig.write(
    '.pawl/config.yaml',
    `roles: { reviewer: { driver: command, argv: [echo, '${answer}'] }, writer: { driver: command, argv: [echo, '{"success":true}'] } }\n`,
  );
  writeTrusted(rig, '.pawl/workflows/ship.yaml', FILE.replace('fixer: writer', 'fixer: writer\n    rounds: 2'));
  const { stdout } = await rig.run(['run', 'ship', '--id', 'r1']);
  expect(stdout).toMatch(/verify#1\/claims rejected in \S+: text\.md:1 is wrong/);
  expect(stdout).toMatch(/verify#1 rejected in \S+ \(2\/2, 2 rejected\)/);
  expect(stdout).toMatch(
    /judge#1 rejected \(again\) in \S+: round 1 did not pass: 2 findings stop the work; it is fixed and reviewed again/,
  );
  expect(stdout).toMatch(/judge#2 rejected \(exhausted\) in \S+: round 2 did not pass: .*it was the last round, so a person decides/);
  const parent = await rig.json<{ run: { children: { id: string }[] }; waits: { command: string }[] }>(['show', 'r1']);
  const child = parent.run.children[0]?.id ?? '';
  expect(parent.waits).toMatchObject([{ command: `pawl decide ${child}` }]);
  const shown = (await rig.run(['show', child])).stdout;
  expect(shown).toMatch(/✗ verify ×2 +rejected/);
  expect(shown).toContain('2 items: 0 ok, 2 rejected');
  expect(shown).toMatch(/✗ judge ×2 +exhausted/);
  expect(shown).toContain('round 2 did not pass');
  const { approvals } = await rig.json<{ approvals: { prompt: string }[] }>(['inbox', child]);
  expect(approvals[0]?.prompt).toBe(
    [
      'quality, round 2 of at most 2: 2 findings stop the work (MUST, SHOULD, COULD do in this round). It was the last round; no further round is run without you.',
      '',
      'What stops the work:',
      '- MUST claims: Is every claim true? Seen: text.md:1 is wrong',
      '- COULD date: Is there a date? Seen: text.md:1 is wrong',
      '',
      'Left for later, whatever you choose:',
      '- COULD: a long title',
      '',
      'You can choose:',
      '- accept: the review ends as accepted by a person, with these findings still open',
      '- again: they are fixed, and one more round is run; then you are asked again if something still stops the work',
      '- stop: the review ends as rejected',
    ].join('\n'),
  );
});
