import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { formatIdentity, identityOf, isOfEarlierBoot, livenessOf, type ProcessIdentity, parseIdentity } from './identity.ts';
import { parsePsLine, parseStat, readProcess } from './process-table.ts';

function ourselves(): ProcessIdentity {
  const identity = identityOf();
  if (identity === undefined) throw new Error('this process has no identity');
  return identity;
}

describe('identity', () => {
  test('the identity of a process is stable and survives formatting and parsing', () => {
    expect(identityOf()).toEqual(ourselves());
    expect(parseIdentity(formatIdentity(ourselves()))).toEqual(ourselves());
  });

  test('the identity of a process is not parsed from invalid text', () => {
    for (const text of ['', 'a|b|c', 'host|boot|0|1', 'host|boot|-4|1', 'host|boot|12x|1', '|boot|12|1', 'host|boot|12|']) {
      expect(parseIdentity(text), text).toBeUndefined();
    }
  });

  test('the identity of a process does not exist for an unused pid', () => {
    expect(identityOf(2 ** 22 + 1)).toBeUndefined();
  });

  test('the identity of a process is parsed after a name with spaces and parentheses', () => {
    const rest = `S 7 8 9 ${Array.from({ length: 13 }, () => '0').join(' ')} 1 0 4711 0 0`;
    expect(parseStat(`42 (a) S 1 (b) ${rest}\n`)).toEqual({
      pid: 42,
      ppid: 7,
      pgid: 8,
      session: 9,
      start: '4711',
      ended: false,
      stopped: false,
    });
    expect(parseStat('garbage')).toBeUndefined();
  });

  test('the identity of a process is parsed from ps if there is no /proc', () => {
    const row = parsePsLine('   42     7     8 Z+   Mon Nov  3 10:00:00 2025  ');
    expect(row).toEqual({ pid: 42, ppid: 7, pgid: 8, session: 8, start: 'Mon Nov  3 10:00:00 2025', ended: true, stopped: false });
  });

  test.runIf(process.platform === 'linux')('the identity of a process works for a running program with an awkward name', async () => {
    const directory = tempFolder();
    const program = join(directory, 'a) S 1 (b');
    copyFileSync('/bin/sleep', program);
    const child = spawn(program, ['60']);
    await once(child, 'spawn');
    const identity = identityOf(child.pid);
    expect(Number(identity?.start)).toBeGreaterThanOrEqual(Number(ourselves().start));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(livenessOf(identity as ProcessIdentity)).toBe('dead');
  });
});

describe('liveness', () => {
  test('this process is alive', () => {
    expect(livenessOf(ourselves())).toBe('alive');
  });

  test('a process whose pid is reused is dead', () => {
    expect(livenessOf({ ...ourselves(), start: '1' })).toBe('dead');
  });

  test('a process whose pid is unused is dead', () => {
    expect(livenessOf({ ...ourselves(), pid: 2 ** 22 + 1 })).toBe('dead');
  });

  test('a process of an earlier boot is dead, and in a container unknown', () => {
    const earlier = { ...ourselves(), boot: 'another' };
    const isContained = /#\d+$/.test(earlier.host);
    expect(livenessOf(earlier)).toBe(isContained ? 'unknown' : 'dead');
    expect(isOfEarlierBoot(earlier)).toBe(!isContained);
    expect(isOfEarlierBoot(ourselves())).toBe(false);
  });

  test('liveness does not depend on the name of the host: the same boot is the same machine', () => {
    const namespace = /#\d+$/.exec(ourselves().host)?.[0] ?? '';
    for (const host of ['old-name', '0123456789abcdef0123456789abcdef']) {
      expect(livenessOf({ ...ourselves(), host: `${host}${namespace}` })).toBe('alive');
      expect(livenessOf({ ...ourselves(), host: `${host}${namespace}`, start: '1' })).toBe('dead');
    }
  });

  test('liveness is unknown on another machine', () => {
    expect(livenessOf({ ...ourselves(), host: 'elsewhere', boot: 'another' })).toBe('unknown');
    expect(livenessOf({ ...ourselves(), host: '0123456789abcdef0123456789abcdef', boot: 'another' })).toBe('unknown');
  });

  test('liveness is unknown in another container, even after a reboot', () => {
    const name = ourselves().host.replace(/#\d+$/, '');
    expect(livenessOf({ ...ourselves(), host: `${name}#1`, start: '1' })).toBe('unknown');
    expect(livenessOf({ ...ourselves(), host: `${name}#1`, boot: 'another' })).toBe('unknown');
  });

  test('a missing boot id does not count as another boot', () => {
    expect(livenessOf({ ...ourselves(), boot: undefined })).toBe('alive');
  });

  test.runIf(process.platform === 'linux')('a zombie is dead', async () => {
    // The shell becomes a program that never waits for its child; only then is the child released.
    const script = 'sh -c "read line <&3" & echo $!; exec sleep 60';
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
    const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
    const zombie = Number(line.toString());
    await expect.poll(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe('sleep\n');
    expect(identityOf(zombie)).toBeDefined();
    (child.stdio[3] as Writable).end('go\n');
    await expect.poll(() => identityOf(zombie)).toBeUndefined();
    const row = readProcess(zombie);
    expect(row?.ended).toBe(true);
    expect(livenessOf({ ...ourselves(), pid: zombie, start: row?.start ?? '' })).toBe('dead');
    child.kill('SIGKILL');
  });
});
