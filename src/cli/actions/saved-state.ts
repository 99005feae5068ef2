// Owns the state of a project without a server: a commit to which the ref `refs/pawl/state` of its repository points. Its files
// are copies of the databases; its parents are the work of open runs, so that git keeps their commits.
//
// JB1. The ref is only moved from the commit that was read to its successor (compare and swap). A job that loses this race has
//      been replaced: it saves nothing more and writes nothing more.
// JB2. Before a job changes something at GitHub, it saves a state that records the change. If the job is killed, the next one
//      repeats the change under the same keys and with the same commits, and finds it done. A change that can be repeated
//      without harm, such as editing the comment of a run, only needs the hold.
// JB3. A job holds the state while it works, until a time that every save extends. Other jobs wait for that time.
// - A ref outside of branches and tags starts no workflow, is not cloned, and is replaced by every save, so the repository does
//   not grow.
// - The databases contain no secrets, because Pawl masks them before it stores anything. Tokens, trust and transcripts are not
//   saved.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { EngineError } from '../../base/error.ts';
import type { ForgeAnswer } from '../../forge/forge.ts';
import type { GitHubForge } from '../../forge/github/github-forge.ts';
import { git } from '../../process/git.ts';
import { restoreWork, type SavedWork, saveWork } from './saved-work.ts';

const STATE_REF = 'refs/pawl/state';
const MANIFEST = 'manifest.json';
/** Copied in this order: a later file may be newer than an earlier one, but never older. */
const DATABASES = ['runs.db.server', 'runs.db', 'github.db'];
const FILES = ['home/id', 'runs.db.anchor'];
/** How long a job holds the state after its last save, by default. */
export const HOLD_MS = 180_000;
const RETRY_MS = 2000;

interface Manifest {
  readonly version: 1;
  /** The folder of the paths in the databases. */
  readonly folder: string;
  /** The job that holds the state, and until when. */
  readonly held?: { readonly job: string; readonly until: number } | undefined;
  readonly work: readonly SavedWork[];
}

interface StateParts {
  readonly forge: Pick<GitHubForge, 'readRef' | 'replaceRef'>;
  readonly checkout: string;
  /** The folder of the state while a job works. */
  readonly folder: string;
  readonly job: string;
  readonly now: () => number;
  readonly warn: (text: string) => void;
  readonly holdMs: number;
}

/** The state of a project, held by this job. */
export class SavedState {
  private readonly parts: StateParts;
  private head: string | undefined;
  private saving: Promise<unknown> = Promise.resolve();
  /** A save that has not begun. It will include everything up to now, so further calls of `save` share it. */
  private waiting: Promise<void> | undefined;
  private lost: EngineError | undefined;
  private heldUntil = 0;

  private constructor(parts: StateParts) {
    this.parts = parts;
  }

  /** Takes the state and reads it into its folder; waits while another job holds it (JB3). */
  static async acquire(parts: StateParts): Promise<SavedState> {
    for (;;) {
      const { sha } = valueIn(await parts.forge.readRef({ folder: parts.checkout, ref: STATE_REF }));
      const manifest = sha === undefined ? undefined : await manifestOf(parts.checkout, sha);
      const held = manifest?.held;
      const left = held === undefined || held.job === parts.job ? 0 : held.until - parts.now();
      if (left > 0) {
        parts.warn(`job ${held?.job} holds the state for ${Math.ceil(left / 1000)} s more, unless it ends before; waiting`);
        await setTimeout(Math.min(left, RETRY_MS));
        continue;
      }
      const state = new SavedState(parts);
      state.head = sha;
      // Another job may be faster; then wait for its hold.
      if (await state.take(manifest)) return state;
    }
  }

  /** Marks the saved state as held and reads it. Returns false if another job took it. */
  private async take(manifest: Manifest | undefined): Promise<boolean> {
    const { checkout, folder, job, now, holdMs } = this.parts;
    const saved = this.head;
    const taken: Manifest = { version: 1, folder, work: [], ...manifest, held: { job, until: now() + holdMs } };
    const listed = saved === undefined ? '' : await output(checkout, ['ls-tree', saved], '');
    const rest = listed.split('\n').filter((line) => line !== '' && !line.endsWith(`\t${MANIFEST}`));
    try {
      await this.replace([...rest, await blobOf(checkout, MANIFEST, manifestBytes(taken))], taken);
    } catch (error) {
      if (this.isLost) return false;
      throw error;
    }
    await this.unpack(manifest, saved);
    return true;
  }

  /** Saves the current state and extends the hold. Throws STATE_TAKEN if another job took the state (JB1). */
  save(): Promise<void> {
    this.waiting ??= this.afterOthers(() => {
      this.waiting = undefined;
      return { job: this.parts.job, until: this.parts.now() + this.parts.holdMs };
    });
    return this.waiting;
  }

  /** Extends the hold if it ends soon. Throws STATE_TAKEN if another job took the state. */
  async hold(): Promise<void> {
    if (this.lost !== undefined) throw this.lost;
    if (this.heldUntil - this.parts.now() < this.parts.holdMs / 2) await this.save();
  }

  /** Saves the state for the last time and ends the hold. */
  release(): Promise<void> {
    return this.afterOthers(() => undefined);
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  private async afterOthers(held: () => Manifest['held']): Promise<void> {
    const save = this.saving.catch(() => undefined).then(() => this.write(held()));
    this.saving = save;
    await save;
  }

  private async write(held: Manifest['held']): Promise<void> {
    if (this.lost !== undefined) throw this.lost;
    const { checkout, folder } = this.parts;
    const files = await copiesOf(folder);
    const work = await saveWork(checkout, join(folder, 'worktrees'));
    const manifest: Manifest = { version: 1, folder, held, work };
    const entries: string[] = [];
    for (const [name, bytes] of [...files, [MANIFEST, manifestBytes(manifest)] as const]) entries.push(await blobOf(checkout, name, bytes));
    await this.replace(entries, manifest);
  }

  /** Moves the ref to a commit with these entries, unless another job moved it (JB1). */
  private async replace(entries: readonly string[], { work, held }: Manifest): Promise<void> {
    const { forge, checkout } = this.parts;
    const tree = await output(checkout, ['mktree'], `${entries.join('\n')}\n`);
    const commits = new Set(work.flatMap(({ head, files }) => (files === undefined ? [head] : [files, head])));
    const parents = [...commits].flatMap((commit) => ['-p', commit]);
    const sha = await output(checkout, ['commit-tree', tree, ...parents, '-m', 'State of Pawl'], '');
    const answer = await forge.replaceRef({ folder: checkout, ref: STATE_REF, sha, expected: this.head });
    if (answer.result === 'stale_head') {
      this.lost = new EngineError('STATE_TAKEN', `another job took the state of this project (${STATE_REF}); this one has stopped`);
      throw this.lost;
    }
    this.head = valueIn(answer).sha;
    this.heldUntil = held?.until ?? 0;
  }

  private async unpack(manifest: Manifest | undefined, saved: string | undefined): Promise<void> {
    const { checkout, folder } = this.parts;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'home'), { recursive: true, mode: 0o700 });
    if (manifest === undefined || saved === undefined) return;
    if (manifest.folder !== folder)
      throw new EngineError(
        'CONFIG_INVALID',
        `the saved state belongs to the folder ${manifest.folder}, but this job uses ${folder}; run all jobs on the same kind of machine, or set --state ${manifest.folder}`,
      );
    for (const name of [...DATABASES, ...FILES]) {
      const blob = await git(checkout, ['cat-file', 'blob', `${saved}:${encoded(name)}`], { outputMax: BLOB_MAX });
      if (!blob.ok) continue;
      mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, name), Buffer.from(blob.stdout, 'base64'), { mode: 0o600 });
    }
    await restoreWork(checkout, manifest.work);
  }
}

const BLOB_MAX = 1 << 30;

/** The name of a file in the commit, without folders, so that the commit has one tree. */
function encoded(name: string): string {
  return name.replaceAll('/', '%2F');
}

async function manifestOf(checkout: string, sha: string): Promise<Manifest> {
  const read = await git(checkout, ['cat-file', 'blob', `${sha}:${MANIFEST}`]);
  if (!read.ok)
    throw new EngineError('STORE_DAMAGED', `${STATE_REF} does not contain a state of Pawl: ${read.message}; delete the ref to start over`);
  const manifest = JSON.parse(Buffer.from(read.stdout, 'base64').toString('utf8')) as Manifest;
  if (manifest.version === 1) return manifest;
  throw new EngineError('STORE_NEWER', `${STATE_REF} was saved by a newer Pawl; use that version in this job too`);
}

/** Consistent copies of the databases, while they are in use, and the small files next to them. */
async function copiesOf(folder: string): Promise<[string, Buffer][]> {
  const temporary = await mkdtemp(join(tmpdir(), 'pawl-state-'));
  const existing = (names: readonly string[]): string[] => names.filter((name) => existsSync(join(folder, name)));
  const copyOf = (name: string): Buffer => {
    const copy = join(temporary, name);
    using db = new DatabaseSync(join(folder, name), { timeout: 5000 });
    db.prepare('VACUUM INTO ?').run(copy);
    return readFileSync(copy);
  };
  try {
    return [
      ...existing(FILES).map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]),
      ...existing(DATABASES).map((name): [string, Buffer] => [name, copyOf(name)]),
    ];
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The tree entry of a file. Its content is stored as base64, because the output of git is read as text. */
async function blobOf(checkout: string, name: string, bytes: Buffer): Promise<string> {
  return `100644 blob ${await output(checkout, ['hash-object', '-w', '--stdin'], bytes.toString('base64'))}\t${encoded(name)}`;
}

function manifestBytes(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest));
}

async function output(checkout: string, args: readonly string[], stdin: string): Promise<string> {
  const answer = await git(checkout, args, { stdin });
  if (answer.ok) return answer.stdout.trim();
  throw new EngineError('STORE_UNAVAILABLE', `cannot save the state: git ${args[0]} failed: ${answer.message}; run the job again`);
}

function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result === 'ok') return answer.value;
  throw new EngineError('STORE_UNAVAILABLE', `cannot read or save the state at GitHub: ${answer.message}; run the job again`);
}
