// Owns the files of a contract: their state before the step, their current state, and the documents that the run has
// accepted. The earlier state is stored in the run's data, so that it is the same after a crash.

import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { type AcceptedDocument, documentDigest } from '../../definition/contract/contract-faults.ts';
import { filledContract, type StepContract } from '../../definition/contract/step-contract.ts';
import type { AttemptRequest } from '../attempt.ts';
import { digestMatching } from '../outputs/workspace-digest.ts';
import { CONTRACT_FILES, DOCUMENTS } from '../run-records.ts';
import type { Job } from '../work.ts';
import { openFile } from '../workspace/workspace-file.ts';
import { locateInWorkspace } from '../workspace/workspace-path.ts';

const BYTES_MAX = 2 << 20;

/** The contract of a step with the parameters of the run filled in; `{item}` is the item of a fan-out. */
export function contractOf({ bound, params, item }: AttemptRequest): StepContract | undefined {
  const { contract } = bound.model;
  return contract === undefined ? undefined : filledContract(contract, item === undefined ? params : { ...params, item });
}

/** The files of a contract before the work of a visit, for the run's data. */
export async function recordFilesBefore(job: Job): Promise<JsonObject | undefined> {
  const contract = contractOf(job.request);
  if (contract === undefined) return undefined;
  const { documents = [], changes = [] } = contract;
  const texts = new TextFiles(job.runner.services.cwd);
  const digests: [string, string][] = [];
  for (const { path } of documents) {
    const text = await texts.load(path);
    if (text !== undefined) digests.push([path, documentDigest(text)]);
  }
  const files: [string, Readonly<Record<string, string>>][] = [];
  for (const pattern of changes) files.push([pattern, Object.fromEntries(await digestsOf(job, pattern))]);
  // Uses the clock of the file system, not that of the engine.
  const before = { documents: Object.fromEntries(digests), files: Object.fromEntries(files), at: Date.now() };
  return CONTRACT_FILES.of(job.request.activation.path).with(before);
}

/** The files of a contract before the work. */
export interface FilesBefore {
  /** The digests of its documents, by path. */
  readonly documents: Readonly<Record<string, string>>;
  /** The digests of the files that it has to change, by pattern and path. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** When they were read; undefined in a run that an older engine began. */
  readonly at?: number;
}

const NO_FILES: FilesBefore = { documents: {}, files: {} };

/** The record from before this visit. Without one, no files existed. */
export function filesBefore({ request, context }: Job): FilesBefore {
  return CONTRACT_FILES.of(request.activation.path).in(context.snapshot.data) ?? NO_FILES;
}

/** The non-empty files that match a pattern, with digests that ignore blank lines and invisible characters. */
export function digestsOf({ runner, request }: Job, pattern: string): Promise<ReadonlyMap<string, string>> {
  return digestMatching({ cwd: runner.services.cwd, pattern, signal: request.signal, ignoresWhiteSpace: true });
}

/** The documents that were accepted in the run's tree, by path. */
export async function acceptedDocuments({ request, context }: Job): Promise<ReadonlyMap<string, AcceptedDocument>> {
  const others = (await request.runTree?.others()) ?? [];
  const found = new Map<string, AcceptedDocument>();
  for (const data of [context.snapshot.data, ...others.map((other) => other.data)])
    for (const [path, document] of DOCUMENTS.namedIn(data)) if (document !== undefined && !found.has(path)) found.set(path, document);
  return found;
}

/** The documents of a contract that are accepted now, for the run's data. */
export function acceptedNow(contract: StepContract, step: string, read: TextFiles['read']): JsonObject {
  const documents = (contract.documents ?? []).map(({ path, frozen }) =>
    DOCUMENTS.of(path).with({ digest: documentDigest(read(path) ?? ''), step, ...(frozen === true ? { frozen } : {}) }),
  );
  return Object.assign({}, ...documents);
}

/** Text files of a workspace, each read once. Files that are outside, too large or not text count as missing. */
export class TextFiles {
  readonly #cwd: string;
  readonly #texts = new Map<string, string | undefined>();
  readonly #files = new Map<string, string>();
  readonly #createdAt = new Map<string, number>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Reads a file, if it was not read before. */
  async load(path: string): Promise<string | undefined> {
    if (!this.#texts.has(path)) this.#texts.set(path, await this.#readFile(path));
    return this.#texts.get(path);
  }

  async #readFile(path: string): Promise<string | undefined> {
    const root = await realpath(this.#cwd);
    // An agent may have written the path: it can be too long, or a link to itself.
    const place = await locateInWorkspace(root, path).catch(() => undefined);
    if (place?.kind !== 'inside') return undefined;
    this.#files.set(path, place.real);
    const { bytes, createdAt } = (await contentOf(place.real)) ?? {};
    if (createdAt !== undefined) this.#createdAt.set(path, createdAt);
    return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString('utf8');
  }

  /** Whether a file that was read was created after this time. */
  isNewer(path: string, at: number | undefined): boolean {
    return at !== undefined && (this.#createdAt.get(path) ?? 0) > at;
  }

  /** The file that a path resolves to; for a missing file, the normalised path. */
  readonly fileOf = (path: string): string => this.#files.get(path) ?? posix.normalize(path);

  /** The text of a file that was read before. */
  readonly read = (path: string): string | undefined => this.#texts.get(path);
}

/** The content of a file, unless it is too large, and when it was created. */
async function contentOf(file: string): Promise<{ readonly bytes: Buffer; readonly createdAt: number } | undefined> {
  await using handle = await openFile(file);
  if (handle === undefined) return undefined;
  const { size, birthtimeMs } = await handle.stat();
  return size > BYTES_MAX ? undefined : { bytes: await handle.readFile(), createdAt: birthtimeMs };
}
