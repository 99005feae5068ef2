// Owns the engine's own values in a run's data: their names, types and purposes. No other file builds such a name or takes
// one apart.
//
// - The names are stored with runs, so they do not change.
// - Data under another name, or of another shape, is no record: an older engine may have written it.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { reservedName } from '../base/reserved-name.ts';
import { withoutVisits } from '../definition/address.ts';
import type { AcceptedDocument } from '../definition/contract/contract-faults.ts';
import type { ReviewState } from '../definition/review/review.ts';
import type { UndoItem } from '../programs/undo.ts';
import type { FilesBefore } from './contracts/contract-files.ts';
import type { StoredProgress } from './gate-progress.ts';
import type { StoredDigests } from './outputs/baseline.ts';
import type { AcceptedChange, GuardedFiles } from './protection/accepted-files.ts';
import type { AgentChange } from './protection/flow-protection.ts';
import type { ProtectedFiles } from './protection/protected-files.ts';
import type { TreeVerdict } from './workspace/tree-verdict.ts';
import type { WorkspaceTree } from './workspace/workspace-tree.ts';
import type { StagedRecord } from './writes/staging.ts';

type Shape = (stored: Json) => boolean;

/** One value of the engine in a run's data, under a reserved name. */
class StoredRecord<Value> {
  readonly key: string;
  private readonly shape: Shape;

  constructor(key: string, shape: Shape) {
    this.key = key;
    this.shape = shape;
  }

  /** The stored value; undefined if there is none, or one of another shape. */
  read(stored: Json | undefined): Value | undefined {
    // Authors cannot write this name, so `with` wrote the value.
    return stored !== undefined && this.shape(stored) ? (stored as unknown as Value) : undefined;
  }

  /** The record in a run's data. */
  in(data: JsonObject): Value | undefined {
    return this.read(data[this.key]);
  }

  /** The data that stores it. */
  with(value: Value): JsonObject {
    return { [this.key]: value as unknown as Json };
  }

  /** The data that removes it. */
  removed(): JsonObject {
    return { [this.key]: null };
  }
}

/** Values of one sort, each under the name of its subject. */
class StoredRecords<Value, About = string> {
  private readonly prefix: string;
  private readonly nameOf: (about: About) => string;
  private readonly shape: Shape;

  constructor(sort: string, nameOf: (about: About) => string, shape: Shape = isJsonObject) {
    this.prefix = reservedName(`${sort}:`);
    this.nameOf = nameOf;
    this.shape = shape;
  }

  /** The record about something. */
  of(about: About): StoredRecord<Value> {
    return this.named(this.nameOf(about));
  }

  private named(name: string): StoredRecord<Value> {
    return new StoredRecord(`${this.prefix}${name}`, this.shape);
  }

  /** All of them in a run's data, by the names of their subjects; undefined for those that were removed. */
  namedIn(data: JsonObject): [name: string, value: Value | undefined][] {
    const found: [string, Value | undefined][] = [];
    for (const key in data) {
      if (!key.startsWith(this.prefix)) continue;
      const name = key.slice(this.prefix.length);
      found.push([name, this.named(name).in(data)]);
    }
    return found;
  }

  /** All of them in a run's data that were not removed. */
  allIn(data: JsonObject): Value[] {
    return this.namedIn(data).flatMap(([, value]) => value ?? []);
  }
}

/** An attempt at a path. */
interface AttemptName {
  readonly path: string;
  readonly attempt: number;
}

/** An accepted change at an attempt; `by`, if not by the attempt itself. */
interface ChangeName extends AttemptName {
  readonly by?: 'retry' | undefined;
}

const asIs = (name: string): string => name;
const isText: Shape = (stored) => typeof stored === 'string';
const isTrue: Shape = (stored) => stored === true;
// A record of an older engine does not cover all files that count today.
const isProtected: Shape = (stored) => isJsonObject(stored) && isJsonObject(stored.files ?? null) && Array.isArray(stored.guards);

/** True for attended runs: the calling agent does the work of roles without a driver. */
export const ATTENDED = new StoredRecord<true>(reservedName('attended'), isTrue);
/** The subject and event that started the run, as its trigger passed them on. */
export const TRIGGER = new StoredRecord<JsonObject>(reservedName('trigger'), isJsonObject);
/** The settings of the project that its workflow reads. */
export const CONFIG = new StoredRecord<JsonObject>(reservedName('config'), isJsonObject);
/** The facts of the forge about the run. */
export const GITHUB = new StoredRecord<JsonObject>(reservedName('github'), isJsonObject);
/** The commit that the engine pushed last. */
export const PUSHED = new StoredRecord<string>(reservedName('pushed'), isText);
/** The state of a review, in the run of the review. */
export const REVIEW = new StoredRecord<ReviewState>(reservedName('review'), isJsonObject);
/** The steps to undo, newest first, once undoing has begun. */
export const UNDO_LIST = new StoredRecord<readonly UndoItem[]>(reservedName('undo'), Array.isArray);
/** True for a flow in which a step with an undo has ended, because the definition of a flow lists no steps. */
export const UNDOABLE = new StoredRecord<true>(reservedName('undoable'), isTrue);

/** The head of a pull request that people approved last, by the name that results have for it: `approved_head`. */
export const APPROVED_HEADS = new StoredRecords<string>('approved', asIs, isText);
/** The last session of a role. */
export const SESSIONS = new StoredRecords<string>('session', asIs, isText);
/** The tree that each verdict is about, by step. */
export const TREE_VERDICTS = new StoredRecords<TreeVerdict>('tree', withoutVisits);
/** The tree that an interrupted visit began with, by step. */
export const BEGUN_TREES = new StoredRecords<WorkspaceTree & { readonly path: string }>('begun', withoutVisits);
/** The last results of the checks of a pending gate, by path. */
export const GATE_PROGRESS = new StoredRecords<StoredProgress>('look', asIs);
/** The files of outputs before a step first began, by step. */
export const BASELINES = new StoredRecords<StoredDigests>('baseline', withoutVisits);
/** The same before the run's first agent, by the path of the step that took it. */
export const RUN_BASELINES = new StoredRecords<{ readonly at: number; readonly files: StoredDigests }>('runBaseline', asIs);
/** The files of a contract before the last visit of its step, by step. */
export const CONTRACT_FILES = new StoredRecords<FilesBefore>('contract', withoutVisits);
/** The documents that were accepted, by path. */
export const DOCUMENTS = new StoredRecords<AcceptedDocument>('document', asIs);
/** The digests of a round's documents by path, by the gate that checks them. */
export const REVIEWED = new StoredRecords<Readonly<Record<string, string>>>('reviewed', asIs);
/** The protected files before the last visit of a step, by step. */
export const PROTECTED = new StoredRecords<ProtectedFiles>('protected', withoutVisits, isProtected);
/** The protected files before the run's first agent, by the path of the step that took them; from the parent for its child. */
export const GUARDED = new StoredRecords<GuardedFiles>('guarded', asIs);
/** Changes of protected files that were accepted, by attempt. */
export const ACCEPTED = new StoredRecords<AcceptedChange, ChangeName>('accepted', ({ by, path, attempt }) =>
  [by === undefined ? path : `${by}:${path}`, attempt].join('/'),
);
/** Changes of agents in a flow, by attempt. */
export const CHANGED = new StoredRecords<AgentChange, AttemptName>('changed', ({ path, attempt }) => `${path}#${attempt}`);
/** Writes that wait for a person, by path. */
export const STAGED = new StoredRecords<StagedRecord>('staged', asIs);
