// Owns the digests of the files in a workspace that match a pattern. `.git`, `node_modules` and the engine's own folders
// are left out, since no step's work is there. A link is followed only where the caller asks for it, and never to the
// outside: what cannot be read is told to the caller.

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { visibleText } from '../../definition/contract/written-text.ts';
import { fixedFolders } from '../../definition/pattern.ts';
import { Stopped } from '../abort.ts';
import { openFile } from '../workspace-file.ts';
import { type FoundEntry, walkWorkspace } from '../workspace-walk.ts';

/** Path, relative to the workspace and with slashes → SHA-256 of the content, in hex. */
export type FileDigests = ReadonlyMap<string, string>;

/** How much is looked at; a pattern that wants more is refused, since every attempt would pay for it. */
export interface DigestBounds {
  readonly entriesMax: number;
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** What is looked for, and where. */
export interface DigestQuery {
  readonly cwd: string;
  readonly pattern: string;
  readonly signal: AbortSignal;
  readonly bounds?: DigestBounds;
  /** Blank lines, white space at line ends and signs that nobody sees do not count, and a text of nothing else is left out. */
  readonly isOfText?: boolean;
  /** Told of what matches and is no plain file of the workspace; links count only where this is given. */
  readonly onOther?: (entry: Exclude<FoundEntry, { readonly kind: 'file' }>) => void;
}

const BOUNDS: DigestBounds = { entriesMax: 500_000, filesMax: 50_000, bytesMax: 512 << 20 };
/** A larger file is compared byte by byte. */
const TEXT_MAX = 4 << 20;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '.pawl', '.squadron']);

/** The digests of all files that match, by path. Throws LIMIT_REACHED beyond the bounds. */
export async function digestMatching(query: DigestQuery): Promise<FileDigests> {
  const { bounds = BOUNDS, signal, onOther, isOfText = false } = query;
  const root = await realpath(query.cwd);
  const pattern = posix.normalize(query.pattern);
  const found = new Map<string, string>();
  if (fixedFolders(pattern).some((folder) => LEFT_OUT.has(folder))) return found;
  let bytes = 0;
  let entries = 0;
  const count = (): void => {
    entries += 1;
    if (entries > bounds.entriesMax) throw tooMuch(query, `folders with more than ${bounds.entriesMax} entries`);
  };
  for await (const entry of walkWorkspace({ root, pattern, leftOut: LEFT_OUT, followsLinks: onOther !== undefined, count, signal })) {
    if (entry.kind !== 'file') {
      onOther?.(entry);
      continue;
    }
    if (found.size >= bounds.filesMax) throw tooMuch(query, `more than ${bounds.filesMax} files`);
    const file = await digestFile(entry.file, { left: bounds.bytesMax - bytes, signal, isOfText });
    if (file === 'too large') throw tooMuch(query, `more than ${bounds.bytesMax} bytes`);
    if (file === undefined) continue;
    bytes += file.bytes;
    found.set(entry.name, entry.link === undefined ? file.sha256 : `link ${entry.link} ${file.sha256}`);
  }
  return found;
}

function tooMuch({ pattern }: DigestQuery, what: string): EngineError {
  return new EngineError('LIMIT_REACHED', `the pattern "${pattern}" of an output covers ${what}; write a narrower one`);
}

/** What a text says, line by line; its indentation counts. */
function saidIn(text: string): string {
  const lines = visibleText(text)
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').join('\n');
}

interface Allowance {
  readonly left: number;
  readonly signal: AbortSignal;
  readonly isOfText: boolean;
}

async function digestFile(
  path: string,
  { left, signal, isOfText }: Allowance,
): Promise<{ bytes: number; sha256: string } | 'too large' | undefined> {
  await using handle = await openFile(path);
  if (handle === undefined) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  if (isOfText && (await handle.stat()).size <= TEXT_MAX) {
    const content = await handle.readFile();
    const said = content.includes(0) ? content : saidIn(content.toString('utf8'));
    return said.length === 0 ? undefined : { bytes: content.length, sha256: hash.update(said).digest('hex') };
  }
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    if (signal.aborted) throw new Stopped();
    bytes += (chunk as Buffer).length;
    if (bytes > left) return 'too large';
    hash.update(chunk as Buffer);
  }
  return { bytes, sha256: hash.digest('hex') };
}
