import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { type ProcessSpec, runCommand } from './command.ts';
import { identityOf, type ProcessIdentity } from './identity.ts';
import { pidFilePath, writePidFile } from './pid-file.ts';
import { killTree, sweepOrphans } from './tree.ts';

const directory = tempFolder();

// Reads /proc directly, so that the test finds what the code under test might miss.
function withMark(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => readOrEmpty(`/proc/${pid}/environ`).split('\0').includes(`PAWL_MARK=${mark}`));
}

function runs(pid: number): boolean {
  return !['', 'Z', 'X'].includes(/\) (.) /.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1] ?? '');
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function pidsIn(stdout: string): Record<string, number> {
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]),
  );
}

// A program that prints its name and pid, creates a file with its name, and ignores SIGTERM.
const STUBBORN = join(directory, 'stubborn.sh');
const STUBBORN_TEXT = `#!/bin/sh
trap '' TERM HUP INT
echo "$1 $$"
: > "${directory}/$1"
while :; do sleep 0.1; done
`;
writeFileSync(STUBBORN, STUBBORN_TEXT, { mode: 0o755 });
const stubborn = (name: string): string => `${STUBBORN} ${name}`;
// A daemon: two forks and its own session, so that it cannot be found by parent, group or session.
const daemon = (name: string): string => `(setsid sh -c '${stubborn(name)} & exit' &)`;

// Aborts once the command has printed this many lines, one per process.
function abortAfterLines(count: number): Pick<ProcessSpec, 'signal' | 'onOutput'> {
  const controller = new AbortController();
  let text = '';
  const onOutput = (_stream: string, piece: string): void => {
    text += piece;
    if (text.split('\n').length > count) controller.abort();
  };
  return { signal: controller.signal, onOutput };
}

describe.runIf(process.platform === 'linux')('processes of a command', () => {
  test('at a timeout, child, grandchild and daemon that ignore SIGTERM have ended in under 10 s', async () => {
    const mark = `timeout-${process.pid}`;
    const shell = `${daemon('daemon')}; ${stubborn('grandchild')} & trap '' TERM; echo child $$; while :; do sleep 0.1; done`;
    const result = await runCommand({ shell, mark, timeoutMs: 3000, killGraceMs: 500 });
    if (result.kind !== 'timeout') throw new Error(`expected a timeout, got ${JSON.stringify(result)}`);
    const pids = pidsIn(result.stdout);
    expect(Object.keys(pids).sort()).toEqual(['child', 'daemon', 'grandchild']);
    expect(Object.values(pids).filter(runs)).toEqual([]);
    expect(withMark(mark)).toEqual([]);
    expect(result.left).toEqual([]);
    expect(result.durationMs).toBeGreaterThanOrEqual(3500);
    expect(result.durationMs).toBeLessThan(13_000);
  });

  test('a process that handles SIGTERM may clean up first', async () => {
    const shell = `trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const result = await runCommand({ shell, mark: `tidy-${process.pid}`, ...abortAfterLines(1) });
    expect(result).toMatchObject({ kind: 'aborted', stdout: 'ready\ntidied\n' });
  });

  test('a stopped process is ended too', async () => {
    const shell = `(kill -STOP $$; echo stopped) & sleep 60`;
    const mark = `stopped-${process.pid}`;
    const result = await runCommand({ shell, mark, killGraceMs: 50_000, ...abortAfterLines(1) });
    expect(result).toMatchObject({ kind: 'aborted', left: [] });
    expect((result as { durationMs: number }).durationMs).toBeLessThan(45_000);
  });

  test('an abort also ends a process that wiped its environment, if it is in a session of the command', async () => {
    const mark = `wiped-${process.pid}`;
    const shell = `(env -i ${stubborn('wiped')} &); setsid env -i sh -c 'echo leader $$; sleep 60 & sleep 60 & wait'`;
    const result = await runCommand({ shell, mark, killGraceMs: 100, ...abortAfterLines(2) });
    if (result.kind !== 'aborted') throw new Error(`expected an abort, got ${JSON.stringify(result)}`);
    expect(Object.keys(pidsIn(result.stdout)).sort()).toEqual(['leader', 'wiped']);
    expect(Object.values(pidsIn(result.stdout)).filter(runs)).toEqual([]);
  });

  test('an abort before the start starts nothing', async () => {
    const file = join(directory, 'started');
    const result = await runCommand({ argv: ['touch', file], mark: 'never', signal: AbortSignal.abort() });
    expect([result.kind, existsSync(file)]).toEqual(['aborted', false]);
  });

  test('after a normal exit, the background processes of a command are ended and counted', async () => {
    const mark = `left-${process.pid}`;
    const shell = `sleep 60 >/dev/null 2>&1 & setsid sleep 60 >/dev/null 2>&1 & env -i sleep 60 & echo done`;
    const result = await runCommand({ shell, mark });
    expect(result).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'done\n', leftBehind: 3, left: [] });
    expect(withMark(mark)).toEqual([]);
  });

  test('a normal exit also ends a process that wiped its environment and stayed in the session', async () => {
    const result = await runCommand({ shell: 'env -i sleep 60 >/dev/null 2>&1 &', mark: `bare-${process.pid}` });
    expect(result).toMatchObject({ kind: 'exited', leftBehind: 1, left: [] });
  });

  test('a background process that keeps the output open does not delay the result', async () => {
    const mark = `held-${process.pid}`;
    const result = await runCommand({
      shell: `${daemon('holder')}; until test -e ${directory}/holder; do sleep 0.02; done; echo done 0`,
      mark,
      killGraceMs: 100,
    });
    if (result.kind !== 'exited') throw new Error(`expected an exit, got ${JSON.stringify(result)}`);
    expect(Object.keys(pidsIn(result.stdout)).sort()).toEqual(['done', 'holder']);
    expect(result.durationMs).toBeLessThan(30_000);
    expect(withMark(mark)).toEqual([]);
  });

  test('a process with a large environment is recognised by its mark', async () => {
    const mark = `large-${process.pid}`;
    const shell = `export A="$(printf '%060000d' 0)" B="$(printf '%060000d' 0)"; ${daemon('large')}; until test -e ${directory}/large; do sleep 0.02; done`;
    const result = await runCommand({ shell, mark, killGraceMs: 100 });
    expect(result).toMatchObject({ kind: 'exited', exitCode: 0, left: [] });
    expect(withMark(mark)).toEqual([]);
  });

  test('a process that forks faster than it can be listed is caught', async () => {
    const mark = `forks-${process.pid}`;
    const code = 'f() { trap "" TERM; echo fork $$; while :; do (sleep 0.01 &) ; done; }; f & f & f & wait';
    const result = await runCommand({ shell: code, mark, killGraceMs: 50, ...abortAfterLines(3) });
    expect(result).toMatchObject({ kind: 'aborted', left: [] });
    expect(withMark(mark)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('processes of others', () => {
  async function bystander(env: NodeJS.ProcessEnv = {}, detached = false): Promise<ChildProcess & { pid: number }> {
    const child = spawn('sleep', ['60'], { stdio: 'ignore', detached, env: { PATH: process.env.PATH, ...env } });
    await once(child, 'spawn');
    return child as ChildProcess & { pid: number };
  }

  test('killTree spares a process that has the pid of ours but started at another time', async () => {
    const other = await bystander({}, true);
    expect(await killTree({ pid: other.pid, start: '1', session: other.pid })).toEqual({ killed: 0, left: [] });
    expect(runs(other.pid)).toBe(true);
    other.kill('SIGKILL');
  });

  test('killTree spares the other processes of a session that we do not lead', async () => {
    const leader = spawn('sh', ['-c', 'sleep 60 & sleep 61 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const [line] = (await once(leader.stdout, 'data')) as [Buffer];
    expect(await killTree({ pid: Number(line.toString()) })).toEqual({ killed: 1, left: [] });
    expect(runs(leader.pid as number)).toBe(true);
    expect(await killTree({ pid: leader.pid as number })).toEqual({ killed: 2, left: [] });
  });

  test('killTree spares a process in our own session, even if its leader has ended and a marked process is in it', async () => {
    const code = `import { killTree } from ${JSON.stringify(new URL('./tree.ts', import.meta.url).href)};
      console.log(JSON.stringify(await killTree({ mark: 'leaderless' })));`;
    const script = `(until ! kill -0 $$ 2>/dev/null; do sleep 0.02; done
      sleep 60 & other=$!
      PAWL_MARK=leaderless sleep 60 &
      "$NODE" --input-type=module -e "$CODE"
      kill $other && echo spared) &`;
    const env = { PATH: process.env.PATH, NODE: process.execPath, CODE: code };
    const leader = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true, env });
    expect(await text(leader.stdout)).toBe('{"killed":1,"left":[]}\nspared\n');
  });

  test('killTree spares a process whose mark only starts or ends like ours', async () => {
    const others = [await bystander({ PAWL_MARK: 'abc1' }), await bystander({ X_PAWL_MARK: 'abc', Y: 'PAWL_MARK=abc' })];
    expect(await killTree({ mark: 'abc' })).toEqual({ killed: 0, left: [] });
    expect(others.map((other) => runs(other.pid))).toEqual([true, true]);
    for (const other of others) other.kill('SIGKILL');
  });

  test('killTree spares a process in our own session when it ends a child of ours', async () => {
    const [other, victim] = [await bystander(), await bystander({ PAWL_MARK: 'own-session' })];
    expect(await killTree({ pid: victim.pid, mark: 'own-session' })).toEqual({ killed: 1, left: [] });
    expect([runs(victim.pid), runs(other.pid)]).toEqual([false, true]);
    other.kill('SIGKILL');
  });
});

describe.runIf(process.platform === 'linux')('after a crash of the engine', () => {
  async function crashedEngine(pidDir: string, mark: string): Promise<void> {
    const code = `import { runCommand } from ${JSON.stringify(new URL('./command.ts', import.meta.url).href)};
      const shell = ${JSON.stringify(`${daemon('daemon')}; echo child $$; sleep 60`)};
      await runCommand({ shell, mark: ${JSON.stringify(mark)}, pidDir: ${JSON.stringify(pidDir)},
        onOutput: (_stream, text) => process.stdout.write(text) });`;
    const engine = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of engine.stdout) {
      text += chunk;
      if (text.split('\n').length > 2) break;
    }
    engine.kill('SIGKILL');
    await once(engine, 'exit');
  }

  test('processes of a crashed engine are found by the pid file and ended', async () => {
    const [pidDir, mark] = [join(directory, 'crash'), `crash-${process.pid}`];
    await crashedEngine(pidDir, mark);
    expect(withMark(mark).length).toBeGreaterThanOrEqual(3);
    expect(await sweepOrphans(pidDir, { graceMs: 100 })).toEqual({ swept: [mark], left: [] });
    expect(withMark(mark)).toEqual([]);
    expect(readdirSync(pidDir)).toEqual([]);
  });

  test('a command that had no pid yet is found by its mark', async () => {
    const [pidDir, mark] = [join(directory, 'early'), `early-${process.pid}`];
    await crashedEngine(pidDir, mark);
    const { owner } = JSON.parse(readFileSync(pidFilePath(pidDir, mark), 'utf8')) as { owner: string };
    const [host, boot, pid, start] = owner.split('|') as [string, string, string, string];
    writePidFile(pidDir, { mark, owner: { host, boot, pid: Number(pid), start } });
    expect(await sweepOrphans(pidDir, { graceMs: 100 })).toEqual({ swept: [mark], left: [] });
    expect(withMark(mark)).toEqual([]);
  });

  test('commands of a live engine are left alone', async () => {
    const [pidDir, mark] = [join(directory, 'living'), `living-${process.pid}`];
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const running = runCommand({
      shell: 'echo ready; sleep 60',
      mark,
      pidDir,
      signal: controller.signal,
      onOutput: () => resolve(),
    });
    await ready;
    expect(await sweepOrphans(pidDir)).toEqual({ swept: [], left: [] });
    expect(withMark(mark).length).toBeGreaterThanOrEqual(1);
    expect(existsSync(pidFilePath(pidDir, mark))).toBe(true);
    controller.abort();
    expect((await running).kind).toBe('aborted');
    expect(readdirSync(pidDir)).toEqual([]);
  });

  test('pid files of another host, invalid ones, and the one we run in are left alone; those of an earlier boot are only removed', async () => {
    const pidDir = join(directory, 'others');
    const me = identityOf() as ProcessIdentity;
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(stranger, 'spawn');
    const named = identityOf(stranger.pid) as ProcessIdentity;
    const parent = identityOf(process.ppid) as ProcessIdentity;
    writePidFile(pidDir, {
      mark: 'elsewhere',
      first: named,
      owner: { ...me, host: 'elsewhere', boot: 'its own', start: '1' },
    });
    writePidFile(pidDir, { mark: 'around', first: parent, owner: { ...me, start: '1' } });
    writePidFile(pidDir, { mark: 'rebooted', first: named, owner: { ...me, boot: 'another' } });
    // Inside a container another boot may be another machine.
    const rebooted = /#\d+$/.test(me.host) ? [] : ['rebooted'];
    expect(await sweepOrphans(pidDir)).toEqual({ swept: rebooted, left: [] });
    expect(runs(named.pid)).toBe(true);
    expect(readdirSync(pidDir).length).toBe(3 - rebooted.length);
    stranger.kill('SIGKILL');
  });

  test('a missing directory has nothing to sweep', async () => {
    expect(await sweepOrphans(join(directory, 'absent'))).toEqual({ swept: [], left: [] });
  });
});
