import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestText } from '../../base/digest.ts';
import { type DigestBounds, digestMatching } from './workspace-digest.ts';

let folder: string;
let cwd: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-digest-'));
  cwd = join(folder, 'project');
  mkdirSync(cwd);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text = path): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const look = (pattern: string, bounds?: DigestBounds, signal = new AbortController().signal) =>
  digestMatching({ cwd, pattern, signal, ...(bounds === undefined ? {} : { bounds }) });
const pathsOf = async (pattern: string) => [...(await look(pattern)).keys()].sort();

describe('digests', () => {
  test('the digests of matching files are those of their content, by path', async () => {
    write('src/a.py', 'a');
    write('src/deep/er/b.py', 'b');
    write('src/c.txt');
    write('d.py');
    expect(await look('src/**/*.py')).toEqual(
      new Map([
        ['src/a.py', digestText('a')],
        ['src/deep/er/b.py', digestText('b')],
      ]),
    );
  });

  test.each<[string, string[]]>([
    ['./src/a.py', ['src/a.py']],
    ['src/**', ['src/a.py']],
    ['**', ['src/a.py']],
    ['{src,.git}/*', ['src/a.py']],
    ['.git/*', []],
    ['.pawl/*', []],
    ['node_modules/**/*', []],
    ['nothing/here/**', []],
    ['src/a.py/**', []],
  ])('the digests of matching files exclude folders that no step works on: %s', async (pattern, paths) => {
    for (const path of ['src/a.py', '.git/HEAD', 'node_modules/x/i.js', 'lib/node_modules/y/i.js', '.pawl/pawl.db']) write(path);
    expect(await pathsOf(pattern)).toEqual(paths);
  });

  test.each(['out/*', 'link/*', '**', 'out/secret', 'deep/link/*'])(
    'the digests of matching files never follow a link: %s',
    async (pattern) => {
      writeFileSync(join(folder, 'secret'), 'x');
      mkdirSync(join(cwd, 'deep'));
      symlinkSync(folder, join(cwd, 'link'));
      symlinkSync(folder, join(cwd, 'deep/link'));
      mkdirSync(join(cwd, 'out'));
      symlinkSync(join(folder, 'secret'), join(cwd, 'out/secret'));
      expect(await pathsOf(pattern)).toEqual([]);
    },
  );

  test.each<[Partial<DigestBounds>, string]>([
    [{ filesMax: 1 }, 'more than 1 files'],
    [{ bytesMax: 11 }, 'more than 11 bytes'],
    [{ entriesMax: 2 }, 'more than 2 entries'],
  ])('the digests of matching files are bounded: %j', async (bound, message) => {
    write('src/a', '123456');
    write('src/b', '123456');
    write('src/c/d.txt');
    const enough = { filesMax: 2, bytesMax: 12, entriesMax: 4 };
    expect((await look('src/?', enough)).size).toBe(2);
    await expect(look('src/?', { ...enough, ...bound })).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining(message),
    });
  });

  test('the digests of matching files are not computed for a stopped attempt', async () => {
    write('src/a');
    await expect(look('src/*', undefined, AbortSignal.abort())).rejects.toThrow();
  });
});
