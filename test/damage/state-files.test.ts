// The damage matrix of the user's state folder: each of its files is damaged in each way, and a command that needs the
// file says so, or what it says shows that the file is gone.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeKeyList, readKeyList, readLockedKeys, writeLockedKey } from '../../src/authority/key-files.ts';
import { generateKey } from '../../src/authority/keys.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { ensureStateId, isForeign, readStateId } from '../../src/cli/store-origin.ts';
import { createToken, readTokens, revokeToken } from '../../src/cli/tokens.ts';
import { isKnownSigned, rememberSigned } from '../../src/cli/trust/signed-projects.ts';
import { readTrust, recordTrust } from '../../src/cli/trust/trust-list.ts';
import { keyReader } from '../../src/process/key-file.ts';
import { tempFolder } from '../temp-folder.ts';

const STEP = 7;
let whole: string;
let folder: string;
let shell: Shell;
let origin: string;

function use(state: string): void {
  folder = state;
  shell = { env: { PAWL_STATE: folder, HOME: folder }, cwd: folder } as unknown as Shell;
}

/** A state folder whose files were all written twice; what they had before is kept as `FILE.older`. */
beforeAll(async () => {
  whole = tempFolder();
  use(whole);
  origin = ensureStateId(folder);
  const ann = generateKey('ann');
  const bob = generateKey('bob');
  const project = { root: folder } as Parameters<typeof isKnownSigned>[1];
  changeKeyList(folder, (list) => list.enrol(ann, ann, 1).enrol(bob, ann, 2));
  writeLockedKey(folder, await ann.lock('a long passphrase'));
  createToken(shell, 'ci', { lastsMs: 1000, scopes: ['decide'] });
  recordTrust(shell, { file: '/a.ts', digest: 'a', parts: new Map() } as never);
  rememberSigned(shell, project, { decisions: 'signed', signs: 'everywhere' } as never);
  for (const name of ['identities.json', 'tokens.json', 'trust.json', 'signed-projects.json'])
    copyFileSync(join(folder, name), join(folder, `${name}.older`));
  changeKeyList(folder, (list) => list.revoke('bob', ann, 3));
  revokeToken(shell, 'ci');
  recordTrust(shell, { file: '/a.ts', digest: 'b', parts: new Map() } as never);
  rememberSigned(shell, project, { decisions: 'signed' } as never);
});

beforeEach(() => {
  use(tempFolder());
  cpSync(whole, folder, { recursive: true });
});

const READS: Readonly<Record<string, () => unknown>> = {
  'identities.json': () => readKeyList(folder).active.length,
  'identities/ann.key': () => readLockedKeys(folder).length,
  'tokens.json': () => readTokens(shell).length,
  'trust.json': () => Object.keys(readTrust(shell).files).length,
  'signed-projects.json': () => isKnownSigned(shell, { root: whole } as never),
};

describe.each(Object.keys(READS))('%s', (name) => {
  const path = (): string => join(folder, name);
  const read = READS[name] as () => unknown;

  test('a state file is read as it was written', () => {
    expect(read()).toBe(name === 'tokens.json' ? 0 : name === 'signed-projects.json' ? true : 1);
  });

  test('a flipped bit anywhere is reported', () => {
    const written = readFileSync(path());
    for (let at = 0; at < written.length; at += STEP) {
      const bytes = Buffer.from(written);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      writeFileSync(path(), bytes);
      expect(read, `byte ${at}`).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });

  test.each<[string, () => void]>([
    ['zeros', () => writeFileSync(path(), Buffer.alloc(readFileSync(path()).length))],
    ['an empty file', () => truncateSync(path(), 0)],
    ['half of the file', () => truncateSync(path(), Math.floor(readFileSync(path()).length / 2))],
  ])('%s are reported with the file and what to do', (_, damage) => {
    damage();
    expect(read).toThrow(expect.objectContaining({ message: expect.stringMatching(/older copy: .*restore a backup of it/) }));
    expect(read).toThrow(path());
  });

  test('a file that was changed by hand is accepted when its checksum is removed, as the message says', () => {
    writeFileSync(path(), `${readFileSync(path(), 'utf8')}\n`);
    expect(read).toThrow(`remove ${path()}.sum`);
    rmSync(`${path()}.sum`);
    expect(read).not.toThrow();
  });

  test.each<[string, () => void]>([
    ['a folder', () => mkdirSync(path())],
    ['a named pipe', () => execFileSync('/usr/bin/env', ['mkfifo', path()])],
    ['a link to nothing that is a file', () => symlinkSync(folder, path())],
    ['a device', () => symlinkSync('/dev/zero', path())],
  ])('%s in its place is reported at once', (_, replace) => {
    rmSync(path());
    replace();
    expect(read).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(path()) }));
  });

  test('a missing file gives nobody a right: no key, no token, no trust, and a missing list of limits is reported', () => {
    rmSync(path());
    if (name === 'signed-projects.json')
      expect(read).toThrow(`was removed; restore a backup of it; if you removed it yourself, remove ${path()}.sum, too`);
    else expect(read()).toBe(0);
  });
});

test('a project still requires signatures when the list and its checksum are gone', () => {
  rmSync(join(folder, 'signed-projects.json'));
  rmSync(join(folder, 'signed-projects.json.sum'));
  expect(isKnownSigned(shell, { root: whole } as never)).toBe(true);
  expect(isKnownSigned(shell, { root: tempFolder() } as never)).toBe(false);
});

test.each(['identities.json', 'tokens.json', 'trust.json', 'signed-projects.json'])('an older copy of %s is reported', (name) => {
  copyFileSync(join(folder, `${name}.older`), join(folder, name));
  expect(READS[name]).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

describe('the id of the state folder', () => {
  const place = () => ({ file: '/elsewhere/x.db', state: folder });

  test('a flipped bit anywhere is reported, or makes every database foreign', () => {
    const written = readFileSync(join(folder, 'id'));
    for (let at = 0; at < written.length - 1; at += 1) {
      const bytes = Buffer.from(written);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(join(folder, 'id'), bytes);
      let answer: unknown;
      try {
        answer = isForeign(place(), origin);
      } catch (error) {
        answer = (error as { code?: string }).code;
      }
      expect([true, 'CONFIG_INVALID'], `byte ${at}`).toContain(answer);
    }
  });

  test('no id makes every database foreign, and an empty one is reported', () => {
    truncateSync(join(folder, 'id'), 0);
    expect(() => readStateId(folder)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    rmSync(join(folder, 'id'));
    expect(isForeign(place(), origin)).toBe(true);
  });
});

test('a lock that is not one is reported, and changes nothing', () => {
  writeFileSync(join(folder, 'lock.db'), 'x'.repeat(5000));
  expect(() => createToken(shell, 'new', { lastsMs: 1000, scopes: [] })).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  expect(readdirSync(folder).filter((name) => name.startsWith('tokens.json'))).toEqual([
    'tokens.json',
    'tokens.json.older',
    'tokens.json.sum',
  ]);
});

describe('the token key beside a database', () => {
  const key = (): string => join(folder, 'runs.db.key');

  test.each<[string, () => void]>([
    ['an empty file', () => writeFileSync(key(), '')],
    ['half of it', () => writeFileSync(key(), Buffer.alloc(16, 1))],
    ['a folder', () => mkdirSync(key())],
    ['a named pipe', () => execFileSync('/usr/bin/env', ['mkfifo', key()])],
  ])('%s is reported at once, and no token is made with it', (_, damage) => {
    damage();
    expect(keyReader(join(folder, 'runs.db'))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(key()) }),
    );
  });

  test('a missing one is made anew, for its owner only', () => {
    expect(keyReader(join(folder, 'runs.db'))()).toHaveLength(32);
    expect(statSync(key()).mode & 0o077).toBe(0);
  });
});
