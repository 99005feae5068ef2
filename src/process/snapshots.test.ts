// Snapshots of a workspace, and restoring its files, with real repositories.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRepository, git } from '../../test/git.ts';
import { tempFolder } from '../../test/temp-folder.ts';
import { restoreFolders } from './restore-files.ts';
import { diffText, fileChanges, putBack, summaryOf } from './snapshot-changes.ts';
import { findSnapshotLocation, SnapshotRepository } from './snapshot-repository.ts';
import type { Snapshot } from './snapshot-scan.ts';

async function open(folder: string, include: readonly string[] = []): Promise<SnapshotRepository> {
  const place = await findSnapshotLocation({ folder, leftOut: () => ['node_modules/'], include, declared: include });
  if (place === undefined) throw new Error('no snapshot place');
  return new SnapshotRepository(place, tempFolder());
}

function project(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'src/b.txt': 'two\n' }): string {
  const folder = join(tempFolder(), 'project');
  createRepository(folder, files);
  return folder;
}

/** All content of a folder: files, links, executable bits, folders. */
function digestOf(folder: string, at = ''): string[] {
  return readdirSync(join(folder, at))
    .sort()
    .flatMap((name) => {
      if (name === '.git') return [];
      const path = join(at, name);
      const facts = lstatSync(join(folder, path));
      if (facts.isDirectory()) return [`${path}/`, ...digestOf(folder, path)];
      if (facts.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(folder, path))}`];
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex')
        .slice(0, 12);
      return [`${path} ${(facts.mode & 0o100) === 0 ? '' : 'x '}${hash}`];
    });
}

async function restore(repository: SnapshotRepository, before: Snapshot, after: Snapshot) {
  const changes = await fileChanges(repository, { before: after.tree, after: before.tree });
  const targets = changes.map(({ path, before: from, after: to }) => ({ path, from, to }));
  const result = await putBack(repository, targets);
  const remove = after.folders.filter((path) => !before.folders.includes(path));
  await restoreFolders(repository.place.top, { make: before.folders, remove });
  return result;
}

describe('snapshots', () => {
  test('a snapshot has the bytes on disk, regardless of attributes and settings of the repository', async () => {
    const folder = project({ '.gitattributes': '* text=auto eol=lf\n*.up filter=up\n', 'a.txt': 'one\n' });
    git(folder, 'config', 'filter.up.clean', `touch ${join(folder, 'RAN')}; tr a-z A-Z`);
    git(folder, 'config', 'core.autocrlf', 'true');
    writeFileSync(join(folder, 'crlf.txt'), 'one\r\ntwo\r\n');
    writeFileSync(join(folder, 'x.up'), 'small');
    const repository = await open(folder);
    const before = await repository.take();
    rmSync(join(folder, 'crlf.txt'));
    rmSync(join(folder, 'x.up'));
    await restore(repository, before, await repository.take());
    expect([readFileSync(join(folder, 'crlf.txt'), 'utf8'), readFileSync(join(folder, 'x.up'), 'utf8')]).toEqual([
      'one\r\ntwo\r\n',
      'small',
    ]);
    expect(existsSync(join(folder, 'RAN'))).toBe(false);
  });

  test('a snapshot changes neither the index nor the branch, and is kept by a ref of its run until that is removed', async () => {
    const folder = project();
    writeFileSync(join(folder, 'a.txt'), 'staged\n');
    git(folder, 'add', 'a.txt');
    writeFileSync(join(folder, 'a.txt'), 'not staged\n');
    const index = readFileSync(join(folder, '.git/index'));
    const refs = git(folder, 'for-each-ref');
    const repository = await open(folder);
    const { tree } = await repository.take();
    expect([readFileSync(join(folder, '.git/index')).equals(index), git(folder, 'for-each-ref') === refs]).toEqual([true, true]);
    await repository.keep('run1', tree, 'before build');
    git(folder, 'gc', '--quiet', '--prune=now');
    expect(git(folder, 'cat-file', '-p', `${tree}:a.txt`)).toBe('not staged');
    await repository.forget('run1');
    git(folder, 'gc', '--quiet', '--prune=now');
    expect(git(folder, 'for-each-ref')).toBe(refs);
    expect(() => execFileSync('git', ['cat-file', '-e', tree], { cwd: folder, stdio: 'ignore' })).toThrow();
  });

  test('a snapshot detects a change that keeps the length and the time of a file', async () => {
    const folder = project();
    const repository = await open(folder);
    const first = await repository.take();
    for (const text of ['six\n', 'ten\n', 'two\n', 'low\n']) {
      writeFileSync(join(folder, 'a.txt'), text);
      const { tree } = await repository.take();
      expect(git(folder, 'cat-file', '-p', `${tree}:a.txt`)).toBe(text.trim());
      expect(tree).not.toBe(first.tree);
    }
  });

  test('a snapshot leaves out ignored files unless they are included, even if they were not ignored before', async () => {
    const folder = project({ 'a.txt': '', '.gitignore': 'secret/\n' });
    mkdirSync(join(folder, 'secret'));
    writeFileSync(join(folder, 'secret/key'), 'k');
    writeFileSync(join(folder, 'later.log'), 'l');
    const names = async (repository: SnapshotRepository) =>
      git(folder, 'ls-tree', '-r', '--name-only', (await repository.take()).tree).split('\n');
    const repository = await open(folder);
    expect(await names(repository)).toEqual(['.gitignore', 'a.txt', 'later.log']);
    expect(await names(await open(folder, ['secret/**']))).toEqual(['.gitignore', 'a.txt', 'later.log', 'secret/key']);
    writeFileSync(join(folder, '.gitignore'), '*.log\n');
    expect(await names(repository)).toEqual(['.gitignore', 'a.txt', 'secret/key']);
  });

  test('a snapshot lists nested repositories and unreadable files, which it does not contain', async () => {
    const folder = project();
    createRepository(join(folder, 'inner'), { deep: '1' });
    mkdirSync(join(folder, 'new/empty'), { recursive: true });
    execFileSync('sh', ['-c', 'printf x > "$(printf "bad\\377")"'], { cwd: folder });
    const { nested, folders, unread } = await (await open(folder)).take();
    expect({ nested, folders, unread }).toEqual({
      nested: ['inner/'],
      folders: ['new/empty'],
      unread: [{ path: 'bad\uFFFD', why: 'its name is not UTF-8' }],
    });
  });

  test('a snapshot lists submodules, including new ones, as long as they are checked out', async () => {
    const folder = project();
    createRepository(join(folder, 'old'), { deep: '1' });
    git(folder, 'add', 'old');
    git(folder, 'commit', '--quiet', '-m', 'a submodule');
    const repository = await open(folder);
    expect((await repository.take()).nested).toEqual(['old/']);
    createRepository(join(folder, 'new'), { deep: '1' });
    git(folder, 'add', 'new');
    git(folder, 'commit', '--quiet', '-m', 'another');
    expect((await repository.take()).nested).toEqual(['new/', 'old/']);
    writeFileSync(join(folder, 'old/deep'), '2');
    expect((await repository.take()).nested).toEqual(['new/', 'old/']);
    rmSync(join(folder, 'old'), { recursive: true });
    mkdirSync(join(folder, 'old'));
    expect((await repository.take()).nested).toEqual(['new/']);
  });

  test('a snapshot has files that a sparse checkout leaves out, with the changes of a step', async () => {
    const folder = project({ 'in/a': 'one', 'in/hidden': 'one', 'out/b': 'two', 'out/c': 'three' });
    git(folder, 'sparse-checkout', 'set', 'in');
    git(folder, 'config', 'sparse.expectFilesOutsideOfPatterns', 'true');
    git(folder, 'update-index', '--assume-unchanged', 'in/hidden');
    const repository = await open(folder);
    const before = await repository.take();
    mkdirSync(join(folder, 'out'));
    for (const name of ['in/a', 'in/hidden', 'out/b']) writeFileSync(join(folder, name), 'written by a step');
    const { tree } = await repository.take();
    const at = (id: string): string[] =>
      ['in/a', 'in/hidden', 'out/b', 'out/c'].map((name) => git(folder, 'cat-file', '-p', `${id}:${name}`));
    expect(at(before.tree)).toEqual(['one', 'one', 'two', 'three']);
    expect(at(tree)).toEqual(['written by a step', 'written by a step', 'written by a step', 'three']);
  });

  test('a snapshot can be taken in a repository without a commit, in a worktree, and of declared files without a repository', async () => {
    const bare = tempFolder();
    git(bare, 'init', '--quiet');
    writeFileSync(join(bare, 'new'), '1');
    expect(git(bare, 'ls-tree', '--name-only', (await (await open(bare)).take()).tree)).toBe('new');
    const main = project();
    const tree = join(tempFolder(), 'tree');
    git(main, 'worktree', 'add', '--quiet', tree);
    writeFileSync(join(tree, 'a.txt'), 'of the worktree\n');
    const ofTree = await open(tree);
    const { tree: id } = await ofTree.take();
    await ofTree.keep('run2', id, 'before');
    expect(git(main, 'cat-file', '-p', `refs/pawl/snapshots/run2:a.txt`)).toBe('of the worktree');
    const plain = tempFolder();
    for (const name of ['data.txt', 'other.txt']) writeFileSync(join(plain, name), name);
    const repository = await open(plain, ['data.*']);
    const before = await repository.take();
    for (const name of ['data.txt', 'other.txt']) writeFileSync(join(plain, name), 'changed');
    await restore(repository, before, await repository.take());
    expect([readFileSync(join(plain, 'data.txt'), 'utf8'), readFileSync(join(plain, 'other.txt'), 'utf8')]).toEqual([
      'data.txt',
      'changed',
    ]);
    expect(existsSync(join(plain, '.git'))).toBe(false);
    expect(await findSnapshotLocation({ folder: plain, leftOut: () => [], include: [], declared: [] })).toBeUndefined();
  });

  test('a snapshot shows changed lines, renames and binary files', async () => {
    const folder = project({ 'a.txt': 'one\n', 'long.txt': 'line\n'.repeat(30) });
    const repository = await open(folder);
    const before = (await repository.take()).tree;
    writeFileSync(join(folder, 'a.txt'), 'ONE\ntwo\n');
    renameSync(join(folder, 'long.txt'), join(folder, 'moved.txt'));
    writeFileSync(join(folder, 'image'), Buffer.from([0, 1, 2, 255]));
    const after = (await repository.take()).tree;
    expect(await summaryOf(repository, { before, after })).toEqual([
      { path: 'a.txt', what: 'changed', lines: { added: 2, deleted: 1 } },
      { path: 'image', what: 'added' },
      { path: 'moved.txt', what: 'renamed', from: 'long.txt', lines: { added: 0, deleted: 0 } },
    ]);
    const text = await diffText(repository, { before, after });
    expect(text).toContain('-one\n+ONE\n+two\n');
    expect(text).toContain('Binary files /dev/null and b/image differ');
  });
});

const NAMES = ['a.txt', 'src/b.txt', 'src', 'deep/er/c', 'deep', 'name with "quotes"', 'new\nline', 'ümlaut', 'a.txt/inside'];

type Act = {
  readonly act: 'write' | 'delete' | 'chmod' | 'link' | 'binary' | 'folder' | 'rename';
  readonly name: string;
  readonly other: string;
  readonly text: string;
};

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    act: fc.constantFrom('write', 'delete', 'chmod', 'link', 'binary', 'folder', 'rename'),
    name: fc.constantFrom(...NAMES),
    other: fc.constantFrom(...NAMES),
    text: fc.string({ maxLength: 5 }),
  }),
  { maxLength: 8 },
) as fc.Arbitrary<Act[]>;

/** Makes a change that a step could make; ignores errors of the file system. */
function perform(folder: string, { act, name, other, text }: Act): void {
  const file = join(folder, name);
  try {
    if (act === 'delete') return rmSync(file, { recursive: true, force: true });
    if (act === 'chmod') return chmodSync(file, 0o755);
    if (act === 'folder') return void mkdirSync(file, { recursive: true });
    if (act === 'rename') return renameSync(file, join(folder, other));
    // Half of the time an existing file or folder is replaced, as a program would.
    if (text.length % 2 === 0) rmSync(file, { recursive: true, force: true });
    mkdirSync(dirname(file), { recursive: true });
    if (act === 'link') return symlinkSync(other, file);
    writeFileSync(file, act === 'binary' ? Buffer.from([0, 255, text.length, 10, 13]) : text);
  } catch {
    // For example, writing below a file.
  }
}

describe('restores', () => {
  test('restoring files produces the earlier digest, whatever steps did', async () => {
    await fc.assert(
      fc.asyncProperty(acts, acts, async (earlier, later) => {
        const folder = project();
        for (const act of earlier) perform(folder, act);
        const repository = await open(folder);
        const before = await repository.take();
        const expected = digestOf(folder);
        for (const act of later) perform(folder, act);
        const result = await restore(repository, before, await repository.take());
        expect(result.kept).toEqual([]);
        expect(digestOf(folder)).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  test('restoring files keeps later changes of other programs, and restores the rest', async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.uniqueArray(fc.constantFrom('a.txt', 'src/b.txt', 'x0', 'x1', 'x2'), { maxLength: 4 }),
        async (later, theirs) => {
          const folder = project({ 'a.txt': 'one\n', 'src/b.txt': 'two\n', x0: '0', x1: '1', x2: '2' });
          const repository = await open(folder);
          const before = await repository.take();
          const expected = new Map(digestOf(folder).map((line) => [line.replace(/ .*/, ''), line]));
          for (const name of ['x0', 'x1']) writeFileSync(join(folder, name), 'by the step');
          for (const act of later.filter(({ name }) => name === 'a.txt' || name === 'src/b.txt')) perform(folder, act);
          const after = await repository.take();
          // Links are skipped, because writing would change their target.
          const written = theirs.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() !== false);
          for (const name of written) perform(folder, { act: 'write', name, other: name, text: 'mine!' });
          const here = new Set<string>(
            written.filter((name) => existsSync(join(folder, name)) && readFileSync(join(folder, name), 'utf8') === 'mine!'),
          );
          await restore(repository, before, after);
          for (const name of here) expect([name, readFileSync(join(folder, name), 'utf8')]).toEqual([name, 'mine!']);
          const now = new Map(digestOf(folder).map((line) => [line.replace(/ .*/, ''), line]));
          for (const name of ['x0', 'x1', 'x2']) if (!here.has(name)) expect(now.get(name)).toBe(expected.get(name));
        },
      ),
      { numRuns: 8 },
    );
  }, 60_000);

  test('restoring files loses no data of a program that writes the same files concurrently', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const folder = project(Object.fromEntries(names.map((name) => [name, 'before'])));
    const repository = await open(folder);
    const before = await repository.take();
    for (const name of names) writeFileSync(join(folder, name), 'by the step');
    const after = await repository.take();
    const written = new Set<string>();
    let isOver = false;
    const writer = (async () => {
      for (const name of [...names].reverse()) {
        if (isOver) return;
        writeFileSync(join(folder, `${name}.tmp`), 'theirs');
        renameSync(join(folder, `${name}.tmp`), join(folder, name));
        written.add(name);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const { done, kept } = await restore(repository, before, after);
    isOver = true;
    await writer;
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      if (written.has(name)) expect([name, text]).toEqual([name, 'theirs']);
      else expect([name, text]).toEqual([name, 'before']);
    }
    expect(done.length + kept.length).toBe(names.length);
    expect(readdirSync(folder).filter((name) => name.startsWith('.pawl'))).toEqual([]);
  });

  test('restoring files finishes an interrupted restore: files set aside, half-written files, finished files', async () => {
    const folder = project({ a: 'a', b: 'b', c: 'c', gone: 'gone' });
    const repository = await open(folder);
    const before = await repository.take();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), 'by the step');
    rmSync(join(folder, 'gone'));
    writeFileSync(join(folder, 'new'), 'by the step');
    const after = await repository.take();
    const asideName = (name: string): string =>
      join(folder, `.pawl-restore-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`);
    writeFileSync(join(folder, 'a'), 'a');
    renameSync(join(folder, 'b'), asideName('b'));
    writeFileSync(`${asideName('b')}-new`, 'ha');
    renameSync(join(folder, 'c'), asideName('c'));
    writeFileSync(join(folder, 'c'), 'c');
    renameSync(join(folder, 'new'), asideName('new'));
    expect((await restore(repository, before, after)).kept).toEqual([]);
    expect(digestOf(folder).map((line) => line.replace(/ .*/, ''))).toEqual(['a', 'b', 'c', 'gone']);
    expect(['a', 'b', 'c', 'gone'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['a', 'b', 'c', 'gone']);
  });

  test('restoring files writes nothing through a link', async () => {
    const folder = project({ 'deep/a': 'a' });
    const outside = tempFolder();
    const repository = await open(folder);
    const before = await repository.take();
    rmSync(join(folder, 'deep'), { recursive: true });
    const after = await repository.take();
    symlinkSync(outside, join(folder, 'deep'));
    const { kept } = await restore(repository, before, after);
    expect([kept.map(({ path }) => path), readdirSync(outside)]).toEqual([['deep/a'], []]);
  });
});
