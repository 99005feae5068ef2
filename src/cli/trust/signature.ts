// Owns trust by signature: a file in the project that says whose keys vouch for which content, for machines on which no
// person can be asked. It grants nothing by itself: a signature counts only where its key is enrolled.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { judge } from '../../authority/judgement.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { createRunId } from '../../base/id.ts';
import type { Signature } from '../../base/signature.ts';
import { type Identity, keyListOf } from '../identity/identity.ts';
import { readPlainFile } from '../plain-file.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';

/** The signature of one file's content: of it and of the local files it imports. */
interface SignedContent {
  /** For people: where the file lay. Only the digest is signed. */
  readonly file: string;
  readonly digest: string;
  readonly signature: Signature;
}

const FILE = 'signatures.json';

/** Who vouches for this content, where their key counts. */
export function voucherOf(shell: Shell, project: Project, { digest }: ModuleGraph): Pick<Identity, 'name' | 'fingerprint'> | undefined {
  const signed = readSigned(project).filter((content) => content.digest === digest);
  if (signed.length === 0) return undefined;
  const list = keyListOf(shell, project);
  for (const { signature } of signed) {
    const judged = judge(list, { statement: { about: 'trust', digest }, signature, at: Date.now() });
    if (judged.counts) return judged.by;
  }
  return undefined;
}

/** Keeps signatures in the project; each takes the place of the one that its key gave the same file before. */
export function keepSigned(project: Project, signed: readonly { readonly graph: ModuleGraph; readonly signature: Signature }[]): string {
  const fresh = signed.map(({ graph, signature }) => ({ file: nameOf(project, graph.file), digest: graph.digest, signature }));
  const isReplaced = ({ file, signature }: SignedContent): boolean =>
    fresh.some((one) => one.file === file && one.signature.key === signature.key);
  const all = [...readSigned(project).filter((one) => !isReplaced(one)), ...fresh].sort((a, b) => (a.file < b.file ? -1 : 1));
  const file = fileOf(project);
  const draft = `${file}.${createRunId()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${JSON.stringify({ version: 1, signatures: all }, null, 2)}\n`, { flag: 'wx' });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new EngineError('STORE_UNAVAILABLE', `the signatures cannot be written to ${file}: ${messageOf(cause)}`, { cause });
  }
  return file;
}

function nameOf({ root }: Project, file: string): string {
  return relative(root, file).split(sep).join('/');
}

function fileOf({ root, home }: Project): string {
  return join(home ?? join(root, '.pawl'), FILE);
}

/** The signatures that came with a project; a file that cannot be read as such vouches for nothing. */
function readSigned(project: Project): readonly SignedContent[] {
  const file = fileOf(project);
  if (!existsSync(file)) return [];
  try {
    const { signatures } = JSON.parse(readPlainFile(file).toString()) as { readonly signatures?: readonly SignedContent[] };
    if (Array.isArray(signatures) && signatures.every(isSignedContent)) return signatures;
  } catch {
    // Told below.
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of signatures; remove it, then sign again with "pawl trust --sign"`);
}

function isSignedContent(content: unknown): content is SignedContent {
  const { file, digest, signature } = (content ?? {}) as Partial<Record<keyof SignedContent, unknown>>;
  return typeof file === 'string' && typeof digest === 'string' && typeof signature === 'object' && signature !== null;
}
