// Owns the digests of the files in a workspace that match a pattern. `.git`, `node_modules` and the engine's own folders
// are left out, because no step's work is there. Links are followed only if the caller requests it, and never out of the
// workspace; the caller is told about unreadable files.

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { visibleText } from '../../definition/contract/written-text.ts';
import { fixedFolders } from '../../definition/pattern.ts';
import { AttemptStopped } from '../abort.ts';
import { openFile } from '../workspace/workspace-file.ts';
import { type FoundEntry, walkWorkspace } from '../workspace/workspace-walk.ts';

/** Path, relative to the workspace and with slashes → SHA-256 of the content, in hex. */
export type FileDigests = ReadonlyMap<string, string>;

/** Limits. A pattern that exceeds them is rejected, because it would slow down every attempt. */
export interface DigestBounds {
  readonly entriesMax: number;
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** The pattern, and where to search. */
export interface DigestQuery {
  readonly cwd: string;
  readonly pattern: string;
  readonly signal: AbortSignal;
  readonly bounds?: DigestBounds;
  /** Ignores blank lines, trailing white space and invisible characters, and skips files with nothing else. */
  readonly ignoresWhiteSpace?: boolean;
  /** Called for matches that are not plain files of the workspace; links are considered only if this is set. */
  readonly onOther?: (entry: Exclude<FoundEntry, { readonly kind: 'file' }>) => void;
}

const BOUNDS: DigestBounds = { entriesMax: 500_000, filesMax: 50_000, bytesMax: 512 << 20 };
/** A larger file is compared byte by byte. */
const TEXT_MAX = 4 << 20;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '.pawl', '.squadron']);

/** The digests of all files that match, by path. Throws LIMIT_REACHED beyond the bounds. */
export async function digestMatching(query: DigestQuery): Promise<FileDigests> {
  const { bounds = BOUNDS, signal, onOther, ignoresWhiteSpace = false } = query;
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
    const file = await digestFile(entry.file, { left: bounds.bytesMax - bytes, signal, ignoresWhiteSpace });
    if (file === 'too large') throw tooMuch(query, `more than ${bounds.bytesMax} bytes`);
    if (file === undefined) continue;
    bytes += file.bytes;
    found.set(entry.name, entry.link === undefined ? file.sha256 : `link ${entry.link} ${file.sha256}`);
  }
  return found;
}

function tooMuch({ pattern }: DigestQuery, amount: string): EngineError {
  return new EngineError('LIMIT_REACHED', `the pattern "${pattern}" of an output covers ${amount}; write a narrower one`);
}

/** The text normalised line by line; indentation counts. */
function normalizedText(text: string): string {
  const lines = visibleText(text)
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').join('\n');
}

interface DigestLimits {
  readonly left: number;
  readonly signal: AbortSignal;
  readonly ignoresWhiteSpace: boolean;
}

async function digestFile(
  path: string,
  { left, signal, ignoresWhiteSpace }: DigestLimits,
): Promise<{ bytes: number; sha256: string } | 'too large' | undefined> {
  await using handle = await openFile(path);
  if (handle === undefined) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  if (ignoresWhiteSpace && (await handle.stat()).size <= TEXT_MAX) {
    const content = await handle.readFile();
    const counted = content.includes(0) ? content : normalizedText(content.toString('utf8'));
    return counted.length === 0 ? undefined : { bytes: content.length, sha256: hash.update(counted).digest('hex') };
  }
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    if (signal.aborted) throw new AttemptStopped();
    bytes += (chunk as Buffer).length;
    if (bytes > left) return 'too large';
    hash.update(chunk as Buffer);
  }
  return { bytes, sha256: hash.digest('hex') };
}
