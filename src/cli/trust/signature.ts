// Owns trust by signature: a file in the project with signatures of trusted versions, for machines without a person to ask. A
// signature only counts where its key is enrolled.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { ModuleGraph } from '../../authoring/discover/imports.ts';
import { verifySignature } from '../../authority/verification.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { createRunId } from '../../base/id.ts';
import { readPlainFile } from '../../base/plain-file.ts';
import type { Signature } from '../../base/signature.ts';
import { type Identity, keyListOf } from '../identity/identity.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';

interface SignedContent {
  /** The path of the file, for people; only the digest is signed. */
  readonly file: string;
  readonly digest: string;
  readonly signature: Signature;
}

const FILE = 'signatures.json';

/** The signer of this version, if their key is enrolled. */
export function signerOf(shell: Shell, project: Project, { digest }: ModuleGraph): Pick<Identity, 'name' | 'fingerprint'> | undefined {
  const signed = readSigned(project).filter((content) => content.digest === digest);
  if (signed.length === 0) return undefined;
  const list = keyListOf(shell, project);
  for (const { signature } of signed) {
    const verified = verifySignature(list, { statement: { about: 'trust', digest }, signature, at: Date.now() });
    if (verified.isValid) return verified.by;
  }
  return undefined;
}

/** Writes signatures into the project; each replaces the earlier one of the same key and file. */
export function writeSignatures(
  project: Project,
  signed: readonly { readonly graph: ModuleGraph; readonly signature: Signature }[],
): string {
  const fresh = signed.map(({ graph, signature }) => ({
    file: relative(project.root, graph.file).split(sep).join('/'),
    digest: graph.digest,
    signature,
  }));
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
    throw new EngineError('STORE_UNAVAILABLE', `cannot write the signatures to ${file}: ${messageOf(cause)}`, { cause });
  }
  return file;
}

function fileOf({ root, home }: Project): string {
  return join(home ?? join(root, '.pawl'), FILE);
}

/** The signatures of a project; a file that is not a list of signatures is an error. */
function readSigned(project: Project): readonly SignedContent[] {
  const file = fileOf(project);
  if (!existsSync(file)) return [];
  try {
    const { signatures } = JSON.parse(readPlainFile(file).toString()) as { readonly signatures?: readonly SignedContent[] };
    if (Array.isArray(signatures) && signatures.every(isSignedContent)) return signatures;
  } catch {
    // Reported below.
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of signatures; remove it, then sign again with "pawl trust --sign"`);
}

function isSignedContent(content: unknown): content is SignedContent {
  const { file, digest, signature } = (content ?? {}) as Partial<Record<keyof SignedContent, unknown>>;
  return typeof file === 'string' && typeof digest === 'string' && typeof signature === 'object' && signature !== null;
}
