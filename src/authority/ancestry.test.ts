import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { type Ancestor, findAutomatedParent, readAncestors, withDrivers } from './ancestry.ts';

const shell: Ancestor = { pid: 10, programs: ['bash'], env: { LANG: 'C' } };

describe('the automated parent of a process', () => {
  interface Case {
    readonly is: string;
    readonly env?: Record<string, string>;
    readonly ancestors?: readonly Ancestor[];
    readonly expected: unknown;
  }
  const hidden: Ancestor = { pid: 7, programs: ['sh'], env: { PAWL_RUN: 'r1' } };

  test.each<Case>([
    { is: 'missing, below a shell of a person', ancestors: [shell], expected: undefined },
    { is: 'a run, by its own variables', env: { PAWL_RUN: 'r1' }, expected: { is: 'run', run: 'r1' } },
    { is: 'a run, by the mark of every process of a step', env: { PAWL_MARK: 'm' }, expected: { is: 'run' } },
    { is: 'a run, by the variables of a parent', ancestors: [shell, hidden], expected: { is: 'run', run: 'r1', pid: 7 } },
    { is: 'an agent, by the variables it sets', env: { CLAUDECODE: '1' }, expected: { is: 'agent', name: 'Claude Code' } },
    { is: 'an agent, by the variable of Pawl for its program', env: { PAWL_AGENT: '1' }, expected: { is: 'agent', name: 'an agent' } },
    {
      is: 'an agent, by the name of its program',
      ancestors: [shell, { pid: 8, programs: ['codex'] }],
      expected: { is: 'agent', name: 'Codex', pid: 8 },
    },
    {
      is: 'a run, if a step replaced its shell and only a pawl process is a parent',
      ancestors: [shell, { pid: 9, programs: ['node', 'pawl'], isPawl: true }],
      expected: { is: 'run', run: undefined, pid: 9 },
    },
    {
      is: 'a run, below the process that drives it',
      ancestors: withDrivers([shell, { pid: 9, programs: ['node', 'server'] }], [{ pid: 9, run: 'r2' }]),
      expected: { is: 'run', run: 'r2', pid: 9 },
    },
    { is: 'missing, if the variables are empty', env: { PAWL_RUN: '', CLAUDECODE: '' }, expected: undefined },
  ])('the automated parent of a process is $is', ({ env = {}, ancestors = [], expected }) => {
    expect(findAutomatedParent(env, ancestors)).toEqual(expected);
  });
});

describe('the ancestors of a process', () => {
  test('the ancestors of a process are read with their environment', () => {
    const script = `
      const { readAncestors } = await import(process.argv[1]);
      const above = readAncestors().find(({ env }) => env?.SEEN_ABOVE === 'yes');
      console.log(JSON.stringify(above?.programs));`;
    // The shell has the variable and hides it from its child.
    const inner = 'env -u SEEN_ABOVE "$0" --no-warnings --input-type=module -e "$1" "$2"; exit $?';
    const words = ['-c', inner, process.execPath, script, join(import.meta.dirname, 'ancestry.ts')];
    const ended = spawnSync('sh', words, { env: { ...process.env, SEEN_ABOVE: 'yes' }, encoding: 'utf8' });
    expect(ended.stderr).toBe('');
    expect(JSON.parse(ended.stdout)).toContain('sh');
  });

  test.each([
    { is: 'a pawl process that drives runs', program: 'pawl.js', above: ['run', 'x'], own: ['approve', 'r'], expected: true },
    { is: 'a launcher with the same arguments', program: 'pawl.js', above: ['approve', 'r'], own: ['approve', 'r'], expected: undefined },
    { is: 'another program', program: 'serve.js', above: ['run', 'x'], own: ['approve', 'r'], expected: undefined },
  ])('an ancestor is recognised as $is', ({ program, above, own, expected }) => {
    const folder = tempFolder();
    // The upper program starts the lower one with an empty environment; the lower one prints its parent.
    const lower = join(folder, 'lower', 'pawl.js');
    const upper = join(folder, program);
    mkdirSync(join(folder, 'lower'));
    writeFileSync(
      lower,
      `import(${JSON.stringify(join(import.meta.dirname, 'ancestry.ts'))}).then(({ readAncestors }) => console.log(JSON.stringify(readAncestors()[0])));`,
    );
    writeFileSync(
      upper,
      `require('node:child_process').spawnSync(process.execPath, ${JSON.stringify([lower, ...own])}, { stdio: 'inherit', env: {} });`,
    );
    const ended = spawnSync(process.execPath, [upper, ...above], { encoding: 'utf8' });
    expect((JSON.parse(ended.stdout) as Ancestor).isPawl).toBe(expected);
  });

  test('the ancestors of a process begin with its parent', () => {
    expect(readAncestors()[0]?.pid).toBe(process.ppid);
  });
});
