// Owns the list of file versions and folders that this user trusts. It is kept in the user's state directory, outside all
// projects.

import { realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { changeStateFile, readStateFile } from '../../authority/state-file.ts';
import { EngineError } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { parseJsonObject } from '../../base/json.ts';
import { usageError } from '../command.ts';
import { stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';

/** A trusted version of a file: the digest of the file and its imports. */
export interface TrustedFile {
  readonly digest: string;
  /** The digest of each file by its path relative to the trusted one. */
  readonly parts: Readonly<Record<string, string>>;
  /** When it was trusted, as an ISO time. */
  readonly since: string;
}

/** Everything a user trusts. */
export interface Trust {
  /** Folders that are trusted as a whole, with the time. */
  readonly folders: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, TrustedFile>>;
}

const WHAT = 'the list of trusted files';
const EMPTY: Trust = { folders: {}, files: {} };
const WRITABLE_BY_ALL = 0o002;

function trustFile(shell: Shell): string {
  return join(stateHome(shell), 'trust.json');
}

/** Reads what this user trusts. */
export function readTrust(shell: Shell): Trust {
  const file = trustFile(shell);
  const text = readStateFile({ file, what: WHAT });
  if (text === undefined) return EMPTY;
  const { folders, files } = (parseJsonObject(text) ?? {}) as Partial<Trust>;
  if (typeof folders === 'object' && typeof files === 'object') return { folders, files };
  throw new EngineError('CONFIG_INVALID', `${file} is damaged, so nothing is trusted; remove it, then trust your workflows again`);
}

/** Changes what this user trusts, under a lock; returns the previous state. */
export function changeTrust(shell: Shell, change: (trust: Trust) => Trust): Trust {
  return changeStateFile({ file: trustFile(shell), what: WHAT }, () => {
    const before = readTrust(shell);
    return { text: `${JSON.stringify({ version: 1, ...change(before) }, null, 2)}\n`, result: before };
  });
}

/** Trusts the current version of a file and of the files it imports. */
export async function trustContent(shell: Shell, file: string): Promise<ModuleGraph> {
  const graph = await readGraph(file);
  recordTrust(shell, graph);
  return graph;
}

/** Trusts a version that was already read. */
export function recordTrust(shell: Shell, { file, digest, parts }: ModuleGraph): void {
  const entry: TrustedFile = { digest, parts: Object.fromEntries(parts), since: new Date().toISOString() };
  changeTrust(shell, (trust) => ({ ...trust, files: { ...trust.files, [file]: entry } }));
}

/** Trusts everything in a folder, now and in the future. */
export function trustFolder(shell: Shell, folder: string): string {
  const root = realpathSync(folder);
  if (root === dirname(root) || root === home(shell))
    throw usageError(`${root} contains more than one project; trust the folder of a project, or single files`);
  changeTrust(shell, (trust) => ({ ...trust, folders: { ...trust.folders, [root]: new Date().toISOString() } }));
  return root;
}

function home(shell: Shell): string | undefined {
  try {
    return realpathSync(shell.env.HOME ?? homedir());
  } catch {
    return undefined;
  }
}

/** The trusted folder that contains a file. */
export function trustedFolder(trust: Trust, file: string): string | undefined {
  return Object.keys(trust.folders).find((folder) => isWithin(folder, file));
}

/** The files that changed since a file was trusted, relative to it. */
export function changedSince(trusted: TrustedFile, { parts }: ModuleGraph): string[] {
  const names = new Set([...Object.keys(trusted.parts), ...parts.keys()]);
  return [...names].filter((name) => trusted.parts[name] !== parts.get(name)).sort();
}

/** Whether a file without imports is trusted, by the digest of its text. */
export function isTrustedText(shell: Shell, file: string, digest: string): boolean {
  const trust = readTrust(shell);
  const path = realpathSync(file);
  const folder = trustedFolder(trust, path);
  return (folder !== undefined && foreignPath(folder, [path]) === undefined) || trust.files[path]?.parts[basename(path)] === digest;
}

/**
 * Whether only this user or the administrator can have written a file or folder. Trust in a folder covers only such files:
 * one that another account wrote or can change must be trusted by its content.
 */
export function isOwnFile({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, me: number | undefined): boolean {
  // A system without user ids has no file modes either.
  return me === undefined || ((uid === me || uid === 0) && (mode & WRITABLE_BY_ALL) === 0);
}

/** The first of the files, and the folders around them up to the trusted one, that another user can change. */
export function foreignPath(folder: string, paths: readonly string[]): string | undefined {
  const around = new Set(paths);
  for (const path of around) if (path !== folder && isWithin(folder, path)) around.add(dirname(path));
  return [...around].find((path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts !== undefined && !isOwnFile(facts, process.getuid?.());
  });
}

/** Reads a file and all code that it loads. */
export async function readGraph(file: string): Promise<ModuleGraph> {
  const { readModuleGraph } = await import('../../authoring/discover/imports.ts');
  return readModuleGraph(file);
}
