// The peers of the benchmark are not installed here, but what runs them is held to its rules: a peer that fails or
// hangs costs a row and nothing else.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../bench/measure.ts';
import { bestPeers, missingPeers, runChild } from '../bench/peers.ts';
import { tempFolder } from './temp-folder.ts';
import { type Lockfile, lockfileGaps, lockfileViolations, pinViolations } from './tidy/documents.ts';
import { readJson } from './tidy/repository.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

describe('the package of the peers', () => {
  const manifest = readJson('bench/peers/package.json') as { dependencies: Record<string, string> };

  test('the package of the peers pins every dependency', () => {
    expect(pinViolations(manifest)).toEqual([]);
  });

  test('the package of the peers has a complete lockfile that names no registry', () => {
    const lockfile = readJson('bench/peers/package-lock.json') as Lockfile;
    expect([...lockfileGaps(lockfile), ...lockfileViolations(lockfile)]).toEqual([]);
  });

  function install(versions: Readonly<Record<string, string>>): void {
    cpSync(join(import.meta.dirname, '../bench/peers/package.json'), join(folder, 'package.json'));
    for (const [name, version] of Object.entries(versions)) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
    }
  }

  test('the package of the peers is asked for with the command that installs it', () => {
    install({});
    expect(missingPeers(folder)).toMatch(/xstate@.*`npm --prefix bench\/peers ci`/);
  });

  test('the package of the peers is complete when every package has its pinned version', () => {
    install(manifest.dependencies);
    expect(missingPeers(folder)).toBeUndefined();
    install({ ...manifest.dependencies, xstate: '1.0.0' });
    expect(missingPeers(folder)).toMatch(/^The peers are not installed: xstate@[\d.]+\. /);
  });
});

describe('the benchmark', () => {
  const BENCH = join(import.meta.dirname, '../bench/run.ts');

  test.each([
    [['--wrong'], /^Unknown option '--wrong'.*--quick/s],
    [['--only', 'P1,P99'], /^There is no row "P99"; the rows are P1, /],
  ])('the benchmark refuses %j, says what there is, and measures nothing', (words, message) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', BENCH, ...words], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

describe('the JSON of the benchmark', () => {
  const row = { what: '', measured: '', target: '', met: false };

  test('the JSON of the benchmark has the ratio, our own time and whether the target is met for every row', () => {
    const rows = [
      { ...row, id: 'P1', json: { ratio: 1.5, ownUs: 80 }, met: true },
      { ...row, id: 'P5b', json: { bytes: 529 } },
    ];
    expect(JSON.parse(jsonOf(rows))).toEqual({
      P1: { ratio: 1.5, ownUs: 80, met: true },
      P5b: { ratio: null, ownUs: null, bytes: 529, met: false },
    });
  });

  test('the JSON of the benchmark has targets by the best peer of the same run, else by the recorded ones', () => {
    expect(bestPeers([])).toEqual({ stepsPerSecond: 2714, branchesMs: 269 });
    const rows = [4000, 3000].map((stepsPerSecond, n) => ({ ...row, id: `P2.peer-${n}`, json: { stepsPerSecond } }));
    expect(bestPeers(rows)).toEqual({ stepsPerSecond: 4000, branchesMs: 269 });
  });
});

describe('a peer', () => {
  function program(text: string): string[] {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, text);
    return [file];
  }

  test('a peer that ends well gives its lines', async () => {
    expect(await runChild(program(`console.log('one\\ntwo')`), 30_000)).toEqual({ lines: ['one', 'two'] });
  });

  test('a peer that fails keeps the lines it had, and the reason', async () => {
    const { lines, failure } = await runChild(program(`console.log('one'); throw new Error('no store')`), 30_000);
    expect(lines).toEqual(['one']);
    expect(failure).toBe('Error: no store');
  });

  test('a peer that hangs is ended, with the server it started', async () => {
    // Were it left over, it would still end by itself.
    const server = `setTimeout(process.exit, 20_000); require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
    const hanging = program(`import { spawn } from 'node:child_process';
      spawn(process.execPath, ['-e', ${JSON.stringify(server)}], { stdio: 'inherit' });
      setInterval(() => undefined, 1000);`);
    const { lines, failure } = await runChild(hanging, 3000);
    expect(failure).toBe('it took longer than 3 s');
    await expect(reached(Number(lines[0]))).resolves.toBe('ECONNREFUSED');
  });
});

function reached(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}
