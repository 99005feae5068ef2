// Owns the services that the parts of a server share: the engine, its store, the project behind it and the server's own
// database.

import type { Engine } from '../api/engine.ts';
import type { AnyWorkflow } from '../api/engine-options.ts';
import type { KeyList } from '../authority/enrolment.ts';
import type { DeepReadonly } from '../base/deep-readonly.ts';
import type { JsonObject } from '../base/json.ts';
import type { RunReport } from '../control/schema/run.ts';
import type { TriggerModel } from '../definition/trigger/trigger.ts';
import type { StoredRun } from '../engine/host.ts';
import type { Groups } from '../forge/people.ts';
import type { Store } from '../store/store.ts';
import type { Addresses } from './access/addresses.ts';
import type { HealthReport, WorkflowDetail, WorkflowList } from './contract.ts';
import type { Deliveries } from './events/deliveries.ts';
import type { EventSettings } from './events/event-settings.ts';
import type { ScheduledWorkflow } from './events/schedules.ts';
import type { MachinePaths } from './machine-paths.ts';
import type { Repeats } from './repeats.ts';
import type { Route, ServerApp } from './route.ts';
import type { PartTables, ServerDatabase } from './server-database.ts';
import type { Streams } from './stream/streams.ts';

/** A workflow that may be started, and what its runs begin with. */
export interface StartableWorkflow {
  readonly workflow: AnyWorkflow;
  readonly file?: string;
  readonly facts?: JsonObject;
  /** The roles that get a secret from the settings, of this workflow and of those that it starts. */
  readonly secretRoles?: readonly string[];
}

/** What starts a run automatically. */
export interface StartTrigger {
  readonly event: string;
  /** What the run reads as `trigger`. */
  readonly payload: JsonObject;
  /** Values that the run reads by name: `issue_number`, `labels`. */
  readonly facts?: JsonObject;
}

/** A workflow that an event starts. */
export interface TriggeredWorkflow {
  readonly workflow: string;
  readonly trigger: TriggerModel;
}

/** A workflow that a command in a comment starts. */
export interface CommandedWorkflow {
  readonly workflow: string;
  readonly command: string;
}

/** The address at which a project is served. */
export interface ProjectAddress {
  readonly name: string;
  readonly url: string;
}

/** The project that a server serves. `pawl serve` reads it from files; a program that mounts the server names its workflows. */
export interface ServedProject {
  readonly name: string;
  /** Its folder; undefined for one without files. */
  readonly root?: string;
  /** The other projects that the same process serves. */
  otherProjects?(): readonly ProjectAddress[];
  /** As `pawl list --json`, with whether each is trusted. */
  workflows(): Promise<Omit<DeepReadonly<WorkflowList>, 'schemaVersion'>>;
  /** One workflow. Throws WORKFLOW_UNKNOWN. */
  workflow(name: string): Promise<Omit<DeepReadonly<WorkflowDetail>, 'schemaVersion'>>;
  /** A trusted workflow with its code; throws NOT_TRUSTED for any other. */
  startable(name: string, params: JsonObject, trigger?: StartTrigger): Promise<StartableWorkflow>;
  /** Loads the workflow of a run that is forked, as it is written now; throws NOT_TRUSTED like `startable`. */
  forkable?(run: StoredRun): Promise<void>;
  /** The trusted workflows with a schedule. */
  scheduled?(): Promise<readonly ScheduledWorkflow[]>;
  /** The trusted workflows that events of the forge start. */
  triggered?(): Promise<readonly TriggeredWorkflow[]>;
  /** The trusted workflows that commands in comments start. */
  commanded?(): Promise<readonly CommandedWorkflow[]>;
  /** Adds what only the project knows: how the file of an open run has changed since, and whether signatures hold. */
  completeReport?(report: RunReport): Promise<RunReport>;
  /** What `pawl doctor --json` finds. */
  checks(): Promise<DeepReadonly<HealthReport['checks']>>;
  /** The settings that are safe to show. */
  settings(): Promise<Readonly<Record<string, unknown>>>;
}

/** What the parts of a server share. */
export interface Services {
  readonly engine: Engine;
  readonly store: Store;
  readonly project: ServedProject;
  readonly database: ServerDatabase;
  /** The folder of what agents and programs printed; undefined for runs in memory. */
  readonly transcripts: string | undefined;
  readonly repeats: Repeats;
  readonly version: string;
  /** Removes paths of this machine from responses. */
  readonly paths: MachinePaths;
  /** The folder of the dashboard's built files; undefined for a server without pages. */
  readonly pages: string | undefined;
  /** Every route of every part. */
  readonly routes: readonly Route[];
  /** Hooks, notifications and their secrets. */
  readonly events: EventSettings;
  /** Deliveries from outside: each is stored, and then handled once. */
  readonly deliveries: Deliveries;
  readonly now: () => number;
  /** The address that people open, such as `http://127.0.0.1:7411`; undefined until the server listens. */
  readonly address: () => string | undefined;
  /** The same, after waiting for a `listen` that has begun; without one, the public address. */
  readonly knownAddress: () => Promise<string | undefined>;
  /** The address that people outside of this machine use, if one is set. */
  readonly publicAddress: () => string | undefined;
  /** The host names that it accepts, and the base of every link. */
  readonly addresses: () => Addresses;
  /** The groups of people in the settings. */
  readonly groups: () => Groups;
  /** The enrolled keys whose signatures count. */
  readonly keys: () => KeyList;
  /** Reports a failure that no caller waits for. */
  readonly warn: (error: unknown) => void;
  /** The event streams that are open. */
  readonly streams: Streams;
  /** Calls back when the server closes. */
  readonly onClose: (close: () => void | Promise<void>) => void;
}

/** A part of the server: its routes, its tables, and what it mounts. */
export interface ServerPart {
  readonly name: string;
  /** Every route it mounts, with the scope each needs. A route that is not declared is denied. */
  readonly routes: readonly Route[];
  readonly tables?: PartTables;
  /** Mounts middleware that sees every request first and its response last. */
  watch?(app: ServerApp, services: Services): void;
  /** Mounts middleware that runs before the scope is checked, such as authentication. */
  guard?(app: ServerApp, services: Services): void;
  mount(app: ServerApp, services: Services): void;
}
