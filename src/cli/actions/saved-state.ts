// Owns the state of a project that has no server: a commit that the ref `refs/pawl/state` of its repository points to. Its files
// are copies of the databases; its parents are the work of open runs, so that no commit of theirs is lost.
//
// JB1. The ref is only ever moved from the commit that was read to its successor (compare and swap). Who loses that race has
//      been replaced, saves nothing more and writes nothing more.
// JB2. What a job changes at GitHub is preceded by a saved state that says so. After a kill the next job does the same again,
//      under the same keys and with the same commits, and finds that it has happened. What can be repeated without harm, such as
//      an edit of the comment of a run, only needs the hold.
// JB3. A job holds the state while it works, until a time that it moves on with every save. Another one waits for that time.
// - A ref outside of branches and tags starts no workflow, is not cloned, and is replaced instead of added to: the repository
//   does not grow by the history of the state.
// - Secrets are not in the databases: Pawl masks them before it stores anything. Tokens, trust and transcripts are not saved.

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

/** The ref. */
const STATE_REF = 'refs/pawl/state';
const MANIFEST = 'manifest.json';
/** In this order: what a later file says may be newer than an earlier one, never older. */
const DATABASES = ['runs.db.server', 'runs.db', 'github.db'];
const FILES = ['home/id', 'runs.db.anchor'];
/** How long a job holds the state after its last save, unless it says otherwise. */
export const HOLD_MS = 180_000;
const ROUND_MS = 2000;

interface Manifest {
  readonly version: 1;
  /** The folder that the databases name paths in. */
  readonly folder: string;
  /** The job that works on it, and until when it does for certain. */
  readonly held?: { readonly job: string; readonly until: number } | undefined;
  readonly work: readonly SavedWork[];
}

interface StateParts {
  readonly forge: Pick<GitHubForge, 'readRef' | 'replaceRef'>;
  /** The checkout of the project. */
  readonly checkout: string;
  /** Where the state is while a job works. */
  readonly folder: string;
  readonly job: string;
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** How long the state is held after a save. */
  readonly holdMs: number;
}

/** The state of a project, held by this job. */
export class SavedState {
  private readonly parts: StateParts;
  private head: string | undefined;
  private saving: Promise<unknown> = Promise.resolve();
  /** A save that has not begun: it will have all that is there now, so whoever asks for one joins it. */
  private waiting: Promise<void> | undefined;
  private lost: EngineError | undefined;
  private heldUntil = 0;

  private constructor(parts: StateParts) {
    this.parts = parts;
  }

  /** Takes the state, then reads it into its folder. Waits for a job that holds it (JB3). */
  static async acquire(parts: StateParts): Promise<SavedState> {
    for (;;) {
      const { sha } = valueIn(await parts.forge.readRef({ folder: parts.checkout, ref: STATE_REF }));
      const manifest = sha === undefined ? undefined : await manifestOf(parts.checkout, sha);
      const held = manifest?.held;
      const left = held === undefined || held.job === parts.job ? 0 : held.until - parts.now();
      if (left > 0) {
        parts.warn(`job ${held?.job} holds the state for ${Math.ceil(left / 1000)} s more, unless it ends before; waiting`);
        await setTimeout(Math.min(left, ROUND_MS));
        continue;
      }
      const state = new SavedState(parts);
      state.head = sha;
      // Another job may be faster: then its hold is waited for.
      if (await state.take(manifest)) return state;
    }
  }

  /** Holds the state as it is saved, and reads it. Returns false if another job took it. */
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

  /** Saves the state as it is now, and holds it on. Throws STATE_TAKEN if another job took it (JB1). */
  save(): Promise<void> {
    this.waiting ??= this.inTurn(() => {
      this.waiting = undefined;
      return { job: this.parts.job, until: this.parts.now() + this.parts.holdMs };
    });
    return this.waiting;
  }

  /** Makes sure that no other job takes the state soon. Throws STATE_TAKEN if one did. */
  async hold(): Promise<void> {
    if (this.lost !== undefined) throw this.lost;
    if (this.heldUntil - this.parts.now() < this.parts.holdMs / 2) await this.save();
  }

  /** Saves it for the last time and lets go of it. */
  release(): Promise<void> {
    return this.inTurn(() => undefined);
  }

  /** Whether another job has taken the state. */
  get isLost(): boolean {
    return this.lost !== undefined;
  }

  private async inTurn(begin: () => Manifest['held']): Promise<void> {
    const turn = this.saving.catch(() => undefined).then(() => this.write(begin()));
    this.saving = turn;
    await turn;
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

  /** Points the ref to a commit with these entries, if nobody else did (JB1). */
  private async replace(entries: readonly string[], { work, held }: Manifest): Promise<void> {
    const { forge, checkout } = this.parts;
    const tree = await output(checkout, ['mktree'], `${entries.join('\n')}\n`);
    const parents = parentsOf(work).flatMap((parent) => ['-p', parent]);
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
        `the saved state belongs in ${manifest.folder}, and this job has ${folder}; run all jobs on the same kind of machine, or set --state ${manifest.folder}`,
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

/** The name of a file in the commit: a flat list needs no trees of trees. */
function encoded(name: string): string {
  return name.replaceAll('/', '%2F');
}

async function manifestOf(checkout: string, sha: string): Promise<Manifest> {
  const read = await git(checkout, ['cat-file', 'blob', `${sha}:${MANIFEST}`]);
  if (!read.ok)
    throw new EngineError('STORE_DAMAGED', `${STATE_REF} is not a state of Pawl: ${read.message}; delete the ref to start over`);
  const manifest = JSON.parse(Buffer.from(read.stdout, 'base64').toString('utf8')) as Manifest;
  if (manifest.version === 1) return manifest;
  throw new EngineError('STORE_NEWER', `${STATE_REF} was saved by a newer Pawl; use that version in this job too`);
}

/** Consistent copies of the databases, while they are in use, and the small files beside them. */
async function copiesOf(folder: string): Promise<[string, Buffer][]> {
  const place = await mkdtemp(join(tmpdir(), 'pawl-state-'));
  try {
    const small = FILES.filter((name) => existsSync(join(folder, name))).map((name): [string, Buffer] => [
      name,
      readFileSync(join(folder, name)),
    ]);
    const databases = DATABASES.filter((name) => existsSync(join(folder, name))).map((name): [string, Buffer] => {
      const copy = join(place, name);
      const db = new DatabaseSync(join(folder, name), { timeout: 5000 });
      try {
        db.prepare('VACUUM INTO ?').run(copy);
      } finally {
        db.close();
      }
      return [name, readFileSync(copy)];
    });
    return [...small, ...databases];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The entry of a file in the tree. It is stored as base64: git's own output is text here. */
async function blobOf(checkout: string, name: string, bytes: Buffer): Promise<string> {
  return `100644 blob ${await output(checkout, ['hash-object', '-w', '--stdin'], bytes.toString('base64'))}\t${encoded(name)}`;
}

function manifestBytes(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest));
}

async function output(checkout: string, args: readonly string[], stdin: string): Promise<string> {
  const answer = await git(checkout, args, { stdin });
  if (answer.ok) return answer.stdout.trim();
  throw new EngineError('STORE_UNAVAILABLE', `git ${args[0]} failed: ${answer.message}`);
}

function parentsOf(work: readonly SavedWork[]): string[] {
  return [...new Set(work.flatMap(({ head, files }) => (files === undefined ? [head] : [files, head])))];
}

function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result === 'ok') return answer.value;
  throw new EngineError('STORE_UNAVAILABLE', `the state cannot be read or saved at GitHub: ${answer.message}`);
}
