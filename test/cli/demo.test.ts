import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/control/schema/run.ts';
import { CliRig, type Ended, type Start } from './rig.ts';

let rig: CliRig;
let shared: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** The demo makes its project in the folder of the rig, so that it goes with it. */
function here(env: Readonly<Record<string, string>> = {}): Start {
  return { env: { TMPDIR: rig.folder, ...env } };
}

/** The project that a demo made. */
function shop(of = rig): string {
  const [made = ''] = readdirSync(of.folder).filter((name) => name.startsWith('pawl-demo-'));
  return join(of.folder, made, 'shop');
}

/** The commands that a demo printed for pasting, as words. */
function pasted(printed: string): string[][] {
  return [...printed.matchAll(/^ {2}pawl (.+?)\r?$/gm)].map(([, words = '']) => words.split(' '));
}

describe('a demo without a terminal', () => {
  // One for all: the last of these goes on with it.
  let ended: Ended;
  beforeAll(async () => {
    shared = new CliRig();
    ended = await shared.run(['demo'], { env: { TMPDIR: shared.folder } });
  });
  afterAll(() => shared.close());

  test('an empty claim is rejected with the evidence, and the second attempt is accepted', () => {
    const { code, stdout, stderr } = ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const story = stdout.split('\n').map((line) => line.trim());
    const places = [
      '✗ attempt 1 is rejected',
      'claimed   "Fixed the discount. All tests pass."',
      'observed  ✗ src/cart.js is byte for byte what it was',
      '✗ the test that shows the bug still fails',
      '✓ attempt 2 is accepted',
      'observed  ✓ src/cart.js was changed',
      '✓ node --test: all tests pass',
      '+ return sum >= 100_00 ? Math.round(sum * 0.9) : sum;',
    ].map((line) => story.indexOf(line));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('the demo really fixes the bug and commits the fix', () => {
    const made = shop(shared);
    expect(readFileSync(join(made, 'src/cart.js'), 'utf8')).toContain('sum >= 100_00');
    const log = execFileSync('git', ['log', '--format=%s'], { cwd: made, encoding: 'utf8' });
    expect(log).toBe('Give the discount at exactly 100.00\nA shop with a bug\n');
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: made, encoding: 'utf8' })).toBe('');
  });

  test('without a terminal a script decides, says so, and is recorded', async () => {
    expect(ended.stdout).toContain('a script, which exists only in this demo');
    const [[, ...show] = []] = pasted(ended.stdout);
    const { steps } = await shared.json<RunReport>(['show', ...show]);
    expect(steps.find(({ step }) => step === 'approve')?.actor).toBe('demo script');
  });

  test('the commands that the demo prints at the end work when they are pasted', async () => {
    const commands = pasted(ended.stdout);
    expect(commands.map(([name]) => name)).toEqual(['show', 'graph', 'fork']);
    const [show = [], graph = [], fork = []] = commands;
    const shown = await shared.run(show);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('Fixed the discount. All tests pass.');
    expect((await shared.run(graph)).stdout).toContain('flowchart');
    const terminal = shared.terminal(fork);
    await terminal.until('[y/N]');
    terminal.type('y\r');
    await terminal.until('Your answer');
    terminal.type('commit\r');
    expect(await terminal.ended).toBe(0);
  });
});

test('at a terminal the person decides in the demo', async () => {
  const terminal = rig.terminal(['demo', '--no-pause'], here());
  await terminal.until('Your answer');
  expect(terminal.text()).toContain('+ return sum >= 100_00 ? Math.round(sum * 0.9) : sum;');
  terminal.type('commit\r');
  await terminal.until('Your own');
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toContain('decided: "commit", by ');
  expect(terminal.text()).not.toContain('stand-in');
});

test('a person who asks for changes gets them, and is asked again', async () => {
  const terminal = rig.terminal(['demo', '--no-pause'], here());
  await terminal.until('Your answer');
  terminal.type('rework\r');
  await terminal.until('Your text');
  terminal.type('Say where the limit is from.\r');
  await terminal.until('+ // Say where the limit is from.');
  await terminal.until(/Your answer[\s\S]+Your answer/);
  terminal.type('commit\r');
  expect(await terminal.ended).toBe(0);
  expect(readFileSync(join(shop(), 'src/cart.js'), 'utf8')).toContain('// Say where the limit is from.\nexport function total');
});

test('a question left for later stays on disk, and the printed command asks it again', async () => {
  const terminal = rig.terminal(['demo', '--no-pause'], here());
  await terminal.until('Your answer');
  terminal.type('\r');
  expect(await terminal.ended).toBe(3);
  const [command = []] = pasted(terminal.text());
  expect(command[0]).toBe('decide');
  const again = rig.terminal(command);
  await again.until('Your answer');
  again.type('commit\r');
  expect(await again.ended).toBe(0);
});

test('a demo that npx started prints commands for npx', async () => {
  const { stdout } = await rig.run(['demo'], here({ npm_command: 'exec' }));
  expect(stdout).toMatch(/^ {2}npx pawl show \w+ --project /m);
});

test('an interrupted demo exits with the code for it, and the printed command continues it', async () => {
  const terminal = rig.terminal(['demo'], here());
  await terminal.until('reproduce');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(130);
  const [resume = []] = pasted(terminal.text());
  expect(resume[0]).toBe('resume');
  const again = rig.terminal(resume);
  await again.until('Your answer');
  again.type('commit\r');
  expect(await again.ended).toBe(0);
});

test('with --json the demo prints the report of the run and its folder', async () => {
  const { code, run, demo } = await rig.json<RunReport & { demo: { project: string; database: string } }>(['demo'], here());
  expect({ code, status: run.status, workflow: run.workflow }).toEqual({ code: 0, status: 'completed', workflow: 'fix-bug' });
  expect(demo).toEqual({ project: shop(), database: join(shop(), '.pawl', 'runs.db') });
});

test('without git the demo says so and skips the commit', async () => {
  const { code, stdout } = await rig.run(['demo'], here({ PATH: rig.folder }));
  expect(code).toBe(0);
  expect(stdout).toContain('git is not installed');
  expect(stdout).toMatch(/^commit .*\n {2}– skipped/m);
});

test('"pawl demo --keep" writes only into a new or empty folder', async () => {
  expect((await rig.run(['demo', '--keep', 'mine'], here())).code).toBe(0);
  expect(readdirSync(join(rig.project, 'mine'))).toEqual(['shop']);
  mkdirSync(join(rig.project, 'used'));
  writeFileSync(join(rig.project, 'used', 'thesis.txt'), 'mine');
  const { code, stderr } = await rig.run(['demo', '--keep', 'used'], here());
  expect(code).toBe(2);
  expect(stderr).toContain('is not empty');
  expect(readdirSync(join(rig.project, 'used'))).toEqual(['thesis.txt']);
});

test('without UTF-8 the demo prints only ASCII', async () => {
  const { stdout } = await rig.run(['demo'], here({ LANG: 'C' }));
  expect(stdout).toMatch(/^[\t\n -~]+$/);
});
