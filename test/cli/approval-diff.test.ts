import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRepository } from '../git.ts';
import { CliRig, type Terminal } from './rig.ts';

const RUN = '0000000000000001';
const WORKFLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ship }
stages:
  - { id: work, type: command, run: "printf 'TWO\\\\n\\\\033[2Jthree\\\\n' > a.txt; echo new >> b.txt", on_complete: ask }
  - { id: ask, type: human, prompt: "Ship it?", subjects: ["*.txt"], options: [{ label: ship, goto: complete }, { label: rework, goto: work }] }
`;

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  createRepository(rig.project, { 'a.txt': 'two\nthree\n', '.pawl/workflows/ship.yaml': WORKFLOW });
  await rig.run(['trust', '--yes']);
});
afterEach(() => rig.close());

async function asked(words: readonly string[]): Promise<Terminal> {
  const terminal = rig.terminal(words);
  await terminal.until('Your answer');
  return terminal;
}

describe('the diff of an approval', () => {
  test('the prompt shows the diff in colour, as untrusted text, and keeps the question open', async () => {
    const terminal = await asked(['run', 'ship', '--id', RUN]);
    terminal.type('d\r');
    await terminal.until(/changes since commit[\s\S]*Your answer/);
    expect(terminal.text()).toContain('│ -two');
    expect(terminal.printed()).toContain('\u001b[32m+TWO\u001b[39m');
    expect(terminal.text()).toContain('│ +<U+001B>[2Jthree');
    terminal.type('rework\r');
    // The second visit says what is new since the first.
    await terminal.until(/changed since you looked [\w ]+ ago: 1 file: b.txt[\s\S]*Your answer/);
    terminal.type('c\r');
    const shown = await terminal.until(/changes since you looked[\s\S]*Your answer/);
    expect(shown.slice(shown.indexOf('changes since you looked'))).not.toContain('a.txt');
    terminal.type('ship\r');
    expect(await terminal.ended).toBe(0);
  });

  test("a pipe and --json get the plain diff, and a program that reads it does not count as a person's view", async () => {
    expect((await rig.run(['run', 'ship', '--id', RUN])).code).toBe(3);
    const { stdout } = await rig.run(['inbox', RUN, '--diff']);
    expect(stdout).toContain('│ -two\n│ -three\n│ +TWO\n│ +<U+001B>[2Jthree\n');
    expect(stdout).not.toContain('\u001b');
    const { approvals } = await rig.json<{ approvals: { diff: string }[] }>(['inbox', RUN, '--diff']);
    expect(approvals[0]?.diff).toContain('+new');
    expect((await rig.run(['inbox', RUN, '--new'])).stdout).toContain('changes since commit');
    expect((await rig.run(['inbox', '--diff'])).stderr).toContain('need the id of a run');
  });

  test('without a repository the inbox says that there is no diff', async () => {
    const plain = new CliRig();
    try {
      plain.write('.pawl/workflows/ship.yaml', WORKFLOW);
      await plain.run(['trust', '--yes']);
      await plain.run(['run', 'ship', '--id', RUN]);
      expect((await plain.run(['inbox', RUN, '--diff'])).stdout).toContain('the work is not in a git repository');
    } finally {
      await plain.close();
    }
  });
});

test('while a question is open nothing is drawn over it, whatever happens in the run', async () => {
  const terminal = await asked(['run', 'ship', '--id', RUN]);
  const before = terminal.text().length;
  expect((await rig.start(['signal', RUN, 'hello'], { env: rig.rightFor(['signal']) }).ended).code).toBe(3);
  expect((await rig.run(['logs', RUN])).stdout).toContain('signal "hello" queued');
  terminal.resize(60);
  terminal.type('ship\r');
  expect(await terminal.ended).toBe(0);
  const [untilAnswer = ''] = terminal.text().slice(before).split('ship\r');
  expect(untilAnswer).not.toMatch(/waiting|waits for/);
  expect(terminal.text()).toContain(`run ${RUN} completed`);
});

test('a terminal that becomes narrower is redrawn immediately', async () => {
  await rig.run(['run', 'ship', '--id', RUN]);
  const terminal = rig.terminal(['watch', RUN]);
  await terminal.until('waits for a person');
  terminal.resize(40);
  await terminal.until(/ship {2}0{15}1 {2}waiting[^\n]*\n[\s\S]*waits for a person[\s\S]*ship {2}0{15}1 {2}waiting/);
  const last = terminal.text().slice(terminal.text().lastIndexOf('ship  0'));
  for (const line of last.split('\n')) expect(line.length).toBeLessThan(40);
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(130);
});
