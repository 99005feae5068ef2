// Owns the private copies of databases that an attempt works on: their place, their lifetime, and access to them for
// functions and programs. The copies of handed-out work are kept until it is reported.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type DatabaseUse, databasesOf, databaseVariable } from '../../definition/database.ts';
import { runsInOtherProcess } from '../../definition/kind.ts';
import type { StepModel } from '../../definition/model.ts';
import type { CopyFiles } from '../../safe-db/accept.ts';
import { SafeDatabaseClient } from '../../safe-db/client.ts';
import { createCopy, removeDatabase } from '../../safe-db/copy.ts';
import type { AttemptRequest } from '../attempt.ts';
import { hasFunctions, keyOf } from '../context.ts';
import { type DatabaseService, ownEntry, type StepServices } from '../services.ts';
import type { Job } from '../work.ts';

/** A copy of one database, and the step's access to it. */
export interface DatabaseCopy extends CopyFiles {
  readonly use: DatabaseUse;
  readonly service: DatabaseService;
}

/** The marker file for copies of handed-out work. */
const KEPT = 'kept';
/** The file with the path of a copy outside of the folder, so that the copy is removed with the folder. */
const OUTSIDE = 'outside';
/** After this time, kept copies count as abandoned. */
const KEPT_MS_MAX = 30 * 24 * 3_600_000;

/** The databases of a step, with their files. Throws an error that names a missing one. */
export function databaseServices({ runner, request }: Job): { readonly use: DatabaseUse; readonly service: DatabaseService }[] {
  const { services } = runner;
  return databasesOf(runner.kinds, request.bound.model).map((use) => {
    const service = ownEntry(services.databases, use.name);
    if (service !== undefined) return { use, service: { ...service, path: resolve(services.cwd, service.path) } };
    const hint = didYouMean(use.name, Object.keys(services.databases ?? {}));
    throw new EngineError(
      'DATABASE_UNKNOWN',
      `step "${request.bound.model.id}" uses the database "${use.name}", which is not configured${hint}; name its file under "databases" in .pawl/config.yaml, or pass it to createEngine`,
    );
  });
}

/** The copies of an attempt: those that were kept for it, or new ones. */
export async function openCopies(job: Job): Promise<DatabaseCopy[]> {
  const folder = folderOf(job);
  const needed = databaseServices(job);
  if (!existsSync(join(folder, KEPT))) {
    removeAbandoned(dirname(folder), job.runner.services.now());
    removeCopies(job);
  }
  const copies: DatabaseCopy[] = [];
  for (const { use, service } of needed) {
    const copyFolder = join(folder, use.name);
    const copy = workspacePath(job, use);
    const known = { file: service.path, base: join(copyFolder, 'base.db'), copy: copy ?? join(copyFolder, 'copy.db') };
    if (existsSync(join(folder, KEPT)) && existsSync(known.base)) copies.push({ ...known, use, service });
    else copies.push({ ...(await createNew(job, { folder: copyFolder, copy, file: service.path })), use, service });
  }
  return copies;
}

interface NewCopy {
  readonly folder: string;
  readonly copy: string | undefined;
  readonly file: string;
}

async function createNew(job: Job, { folder, copy, file }: NewCopy): Promise<CopyFiles> {
  if (!existsSync(file))
    throw new EngineError('DATABASE_FAILED', `database ${file} does not exist; run its migrations to create it ("pawl data migrate")`, {
      details: { file },
    });
  if (copy === undefined) return createCopy(file, { folder });
  if (existsSync(copy))
    throw new EngineError(
      'DATABASE_FAILED',
      `the copy of ${file} for step "${job.request.bound.model.id}" cannot be created at ${copy}, because that file already exists; remove it, or choose another path`,
      { details: { file, copy } },
    );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(join(folder, OUTSIDE), copy);
  return createCopy(file, { folder, copy });
}

/** The path of the copy in the workspace, for agents and programs. */
function workspacePath({ runner, request }: Job, { copy }: DatabaseUse): string | undefined {
  const { kind } = request.bound.model;
  return copy === undefined || !runsInOtherProcess(runner, kind) ? undefined : resolve(runner.services.cwd, copy);
}

/** Keeps the copies until the work on them is reported. */
export function keepCopies(job: Job): void {
  writeFileSync(join(folderOf(job), KEPT), '');
}

/** Whether copies were kept for this attempt. */
export function areCopiesKept(job: Job): boolean {
  return existsSync(join(folderOf(job), KEPT));
}

/** Removes the copies of an attempt. */
export function removeCopies(job: Job): void {
  const folder = folderOf(job);
  if (existsSync(folder)) removeFolder(folder);
}

function removeFolder(folder: string): void {
  for (const name of readdirSync(folder)) {
    const outside = join(folder, name, OUTSIDE);
    if (existsSync(outside)) removeDatabase(readFileSync(outside, 'utf8'));
  }
  rmSync(folder, { recursive: true, force: true });
}

function removeAbandoned(root: string, now: number): void {
  if (!existsSync(root)) return;
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    if (now - statSync(folder).mtimeMs > KEPT_MS_MAX) removeFolder(folder);
  }
}

function folderOf({ runner, request }: Job): string {
  // The start time distinguishes a run from an earlier one with the same id, whose copies may still exist.
  const key = digestText(`${keyOf(request)} ${request.startedAt}`).slice(0, 32);
  return join(copyFolder(runner.services), key);
}

function copyFolder({ copyDir }: StepServices): string {
  return copyDir ?? join(tmpdir(), `pawl-copies-${process.getuid?.() ?? ''}`);
}

/** The environment variables that name the copies. */
export function copyVariables(copies: readonly DatabaseCopy[]): Record<string, string> {
  return Object.fromEntries(copies.map(({ use, copy }) => [databaseVariable(use.name), copy]));
}

/** Clients of the copies for the functions of a step. */
export interface CopyClients {
  readonly databases?: Readonly<Record<string, SafeDatabaseClient>>;
  close(): void;
}

/** Opens the clients of a step, if it has functions. */
export function openClients(copies: readonly DatabaseCopy[], request: AttemptRequest): CopyClients {
  // A step kind of the application is a function, too.
  if (!hasFunctions(request) && !isCustomKind(request.bound.model)) return { close: () => undefined };
  const clients = copies.map(({ use, copy, service }) => {
    const { rowLimit } = service;
    return [use.name, new SafeDatabaseClient(copy, rowLimit === undefined ? {} : { rowLimit })] as const;
  });
  return {
    databases: Object.freeze(Object.fromEntries(clients)),
    close: () => {
      for (const [, client] of clients) client.close();
    },
  };
}

function isCustomKind(model: StepModel): boolean {
  return 'config' in model && 'use' in model.config;
}
