// `pawl diff` and `pawl undo`: what steps changed in the files, and putting it back.

import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRepository, git } from '../git.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const FILE = '.pawl/workflows/three.yaml';
const THREE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: three }
stages:
  - { id: first, type: command, run: "echo one > made.txt" }
  - { id: second, type: command, run: "echo two >> made.txt; mkdir sub; echo s3cret-value > sub/deep.txt; printf '\\\\0\\\\1' > bin" }
  - { id: third, type: command, run: "echo three >> made.txt; rm sub/deep.txt; chmod +x kept.txt" }
`;

async function ran(text = THREE): Promise<string> {
  createRepository(rig.project, { 'kept.txt': 'kept\n', [FILE]: text, '.pawl/config.yaml': 'secrets: { key: { env: KEY } }\n' });
  await rig.run(['trust', FILE, '--yes']);
  await rig.run(['trust', '.pawl/config.yaml', '--yes']);
  const { run } = await rig.json<{ run: { id: string } }>(['run', 'three'], { env: { KEY: 's3cret-value' } });
  return run.id;
}

const read = (name: string): string => readFileSync(join(rig.project, name), 'utf8');

describe('pawl diff', () => {
  test('shows what a run and a step changed, as git prints it, with secrets masked and binary files named', async () => {
    const id = await ran();
    const whole = await rig.run(['diff', id]);
    expect(whole.stdout).toContain('+one\n+two\n+three\n');
    expect(whole.stdout).toContain('Binary files /dev/null and b/bin differ');
    const second = await rig.run(['diff', id, 'second'], { env: { KEY: 's3cret-value' } });
    expect(second.stdout).toContain(' one\n+two\n');
    expect(second.stdout).not.toContain('s3cret-value');
    expect(second.stdout).toContain('+[redacted:key]');
    expect((await rig.run(['diff', id, 'third', '--name-only'])).stdout).toBe('kept.txt\nmade.txt\nsub/deep.txt\n');
  });

  test('lists steps with their files, and names what somebody else changed between them', async () => {
    const id = await ran();
    expect((await rig.run(['diff', id, '--stat'])).stdout).toMatchInlineSnapshot(`
      "STEP      ATTEMPT  ENDED  FILES
      first#1   1        ok     made.txt
      second#1  1        ok     bin, made.txt, sub/deep.txt
      third#1   1        ok     kept.txt, made.txt, sub/deep.txt

      FILE      CHANGE   LINES
      bin       added    binary
      kept.txt  changed  +0 -0
      made.txt  added    +3 -0
      3 files, +3 -0 lines
      "
    `);
    expect(await rig.json(['diff', id, 'third'])).toMatchObject({
      run: id,
      step: 'third#1',
      files: [
        { path: 'kept.txt', what: 'changed', lines: { added: 0, deleted: 0 } },
        { path: 'made.txt', what: 'changed', lines: { added: 1, deleted: 0 } },
        { path: 'sub/deep.txt', what: 'deleted', lines: { added: 0, deleted: 1 } },
      ],
      steps: [{ path: 'third#1', attempt: 1, ended: 'ok', beside: [] }],
    });
    const unknown = await rig.run(['diff', id, 'thrid']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "third"') });
  });
});

describe('pawl undo', () => {
  test('shows what it would do, puts the files back, and can be said again', async () => {
    const id = await ran();
    const dry = await rig.run(['undo', id, '--to', 'second', '--dry-run']);
    expect(dry.stdout.replaceAll(id, 'RUN').replace(/\((?:.* ago|now)\)/, '(AGO)')).toMatchInlineSnapshot(`
      "3 files would be as before "second#1" (AGO):
        deleted: bin
        changed back: kept.txt
        changed back: made.txt
      Changes by other programs to these files while a step was running count as its work and are undone, too.
      Not undone, because it is outside the workspace:
        second#1: what the program did outside the workspace: pushes, network, databases
        third#1: what the program did outside the workspace: pushes, network, databases
      The run itself does not change; to continue from there: pawl resume RUN --to second, or pawl fork RUN --from second
      "
    `);
    expect(existsSync(join(rig.project, 'bin'))).toBe(true);
    const done = await rig.json(['undo', id, '--to', 'second']);
    expect(done).toMatchObject({ code: 0, to: 'second#1', changed: [] });
    expect([read('made.txt'), existsSync(join(rig.project, 'sub')), existsSync(join(rig.project, 'bin'))]).toEqual(['one\n', false, false]);
    expect(git(rig.project, 'status', '--porcelain')).toBe('?? made.txt');
    expect((await rig.run(['logs', id])).stdout).toMatch(/3 files restored to before second#1 by /);
    expect((await rig.run(['undo', id, '--to', 'second'])).stdout).toMatch(/^No file was restored to its state before "second#1"/);
    expect((await rig.json<{ files: unknown[] }>(['undo', id, '--to', 'second'])).files).toEqual([]);
    expect((await rig.json(['undo', id, '--to', 'first'])).code).toBe(0);
    expect(git(rig.project, 'status', '--porcelain')).toBe('');
  });

  test('refuses where somebody else changed a file since, and leaves it where it is told to', async () => {
    const id = await ran();
    writeFileSync(join(rig.project, 'made.txt'), 'mine\n');
    writeFileSync(join(rig.project, 'other.txt'), 'mine\n');
    const refused = await rig.run(['undo', id, '--to', 'first']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('would lose changes that someone else made: made.txt') });
    expect(existsSync(join(rig.project, 'bin'))).toBe(true);
    const { changed } = await rig.json<{ changed: { path: string }[] }>(['undo', id, '--to', 'first', '--keep-changed']);
    expect(changed.map(({ path }) => path)).toEqual(['made.txt']);
    expect([read('made.txt'), read('other.txt'), existsSync(join(rig.project, 'bin'))]).toEqual(['mine\n', 'mine\n', false]);
  });

  test('a change between two steps is somebody else’s', async () => {
    const id = await ran(
      THREE.replace('stages:\n', 'stages:\n').replace(
        '  - { id: third',
        '  - { id: go, type: human, prompt: Go?, options: [{ label: yes }] }\n  - { id: third',
      ),
    );
    writeFileSync(join(rig.project, 'made.txt'), 'by hand\n');
    await rig.run(['decide', id, 'yes', '--yes'], { env: rig.rightFor(['fork']) });
    expect((await rig.run(['undo', id, '--to', 'first'])).stderr).toContain('made.txt');
  });

  test('names files that the step at work does not declare', async () => {
    const id = await ran(`${THREE.slice(0, THREE.indexOf('  - '))}
  - id: write
    type: command
    run: "echo a > a.txt; echo b > b.txt; mkdir -p out; echo c > out/c.txt"
    outputs: [{ name: a, type: file, pattern: a.txt }, { name: out, type: file, pattern: "out/**" }]
`);
    const dry = await rig.run(['undo', id, '--to', 'write', '--dry-run']);
    expect(dry.stdout).toContain(
      'Not declared by the step that was running, so check that no other program wrote them:\n  b.txt\nChanges by',
    );
    expect(await rig.json(['undo', id, '--to', 'write'])).toMatchObject({ code: 0, undeclared: ['b.txt'] });
  });

  test('changes no file where the run cannot record it, as in a copy of the database', async () => {
    const id = await ran();
    const { file } = await rig.json<{ file: string }>(['db', 'check']);
    renameSync(file, `${file}.original`);
    copyFileSync(`${file}.original`, file);
    expect(await rig.run(['undo', id, '--to', 'second'])).toMatchObject({ code: 6, stderr: expect.stringContaining('[STORE_COPIED]') });
    expect(read('made.txt')).toBe('one\ntwo\nthree\n');
  });

  test('is not for an agent inside a run, and needs a step', async () => {
    const id = await ran();
    expect(await rig.run(['undo', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--to is missing') });
    const inside = await rig.run(['undo', id, '--to', 'first'], { env: { PAWL_RUN: 'other', PAWL_MARK: 'x' } });
    expect(inside).toMatchObject({ code: 4, stderr: expect.stringContaining('NOT_ALLOWED') });
  });

  test('snapshots are removed with their run', async () => {
    const id = await ran();
    expect(git(rig.project, 'for-each-ref', 'refs/pawl/snapshots')).toContain(id);
    await rig.run(['prune', '--older-than', '0s', '--yes']);
    expect(git(rig.project, 'for-each-ref', 'refs/pawl/snapshots')).toBe('');
  });
});
