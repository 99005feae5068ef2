// Owns the services that the caller passes to step executors: the workspace, programs, checks, roles, drivers, and
// secrets. None is read from the environment of the process.

import type { AgentDriver, AgentPermissions, Watchdogs } from '../agents/driver.ts';
import type { Budget } from '../definition/budget.ts';
import type { CustomKind } from '../definition/custom-kind.ts';
import type { WriteLimits } from '../definition/forge/forge-write.ts';
import type { Forge } from '../forge/forge.ts';
import type { Groups } from '../forge/people.ts';
import type { AttemptResult } from './attempt.ts';
import type { GateCheck } from './check.ts';
import type { ForgeFacts, ForgeSubject } from './forge/forge-facts.ts';
import type { SecretSettings } from './secrets.ts';
import type { Accounting } from './worker/accounting.ts';
import type { SnapshotKeeper } from './workspace/snapshot-keeper.ts';

/** A program in the configuration: a shell line, or a list of words. */
export interface ProgramSetting {
  /** Goes verbatim to `sh -c`. */
  readonly run?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Relative to the workspace. */
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** `optional`: a validation stage that runs tests passes even if it ran none. */
  readonly tests?: 'optional';
}

/** A validation stage: a shell line, a program, or a list of other stages under one name. */
export type StageSetting = string | readonly string[] | ProgramSetting;

/** How a role is reached and what it may do; plain data, since it is stored with the run. */
export interface RoleSetting {
  readonly driver: string;
  /** The beginning of every prompt to this role. */
  readonly prompt?: string;
  readonly model?: string;
  readonly credential?: string;
  readonly permissions?: AgentPermissions;
  /** The budget of one attempt, and of all attempts of the role in a day, which begins at midnight UTC. */
  readonly budget?: Budget & { readonly day?: Budget };
  /** How long it may be silent before it is ended. Default: 10 minutes, or the time limit of its step. */
  readonly idleMs?: number;
  /** The program, for drivers that start any. */
  readonly argv?: readonly string[];
}

/** A named text of an attempt. */
export interface KeptText {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
  readonly name: string;
}

/** The non-public hosts that webhooks can reach, and which secrets can be sent where. */
export interface WebhookSetting {
  /** Hosts that are not public, as `127.0.0.1:8080` or `internal.example`. */
  readonly allow?: readonly string[];
  /** Secret → the hosts it may be sent to. Default: hosts that a workflow writes literally in the same request. */
  readonly secretHosts?: Readonly<Record<string, readonly string[]>>;
}

/** Settings for what the engine writes at the forge for workers. */
export interface WriteSetting {
  /** Limits per run; workflows can only lower them. */
  readonly limits?: WriteLimits;
  /** Hosts that links may lead to, in addition to the repository itself: `docs.example.com`. */
  readonly links?: readonly string[];
  /** Hides logins from workers on the local forge too; on others they are always hidden. */
  readonly hides?: boolean;
  /** A person must approve everything first. */
  readonly staged?: boolean;
}

/** A protected database, and how it is protected. */
export interface DatabaseService {
  /** Its file; relative to the workspace. */
  readonly path: string;
  /** How many rows one statement may update, and a program of one table in one attempt; default 1,000. */
  readonly rowLimit?: number;
  /** Where its backups are written; default: the folder `backups` next to it. */
  readonly backupFolder?: string;
  /** How many backups of each kind are kept; default 20. */
  readonly keepBackups?: number;
}

/** The attempt that started a program. */
export interface OutputSource {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
}

/** Receives output while it is printed, with its secrets masked. */
export interface OutputSink {
  push(text: string): void;
  close(): void;
}

/** The services of steps. */
export interface StepServices {
  /** The workspace: where programs run and which paths are relative to. */
  readonly cwd: string;
  /** Variables that every program and agent gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of environment variables that are passed on. Default: the usual ones. */
  readonly inheritEnv?: readonly string[];
  /** Programs by name, for commands such as `w1:strategic`. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  readonly stages?: Readonly<Record<string, StageSetting>>;
  /** The stages of a validation that names none. Default: all stages that are programs. */
  readonly defaultStages?: readonly string[];
  /** Gate checks in addition to the built-in ones. */
  readonly checks?: Readonly<Record<string, GateCheck>>;
  /** How long a check or a stage may take if neither it nor its step has a timeout. Default: an hour. */
  readonly checkTimeoutMs?: number;
  /** Step kinds of the application by name, for workflows that do not contain them. */
  readonly kinds?: Readonly<Record<string, CustomKind>>;
  readonly roles?: Readonly<Record<string, RoleSetting>>;
  readonly drivers?: Readonly<Record<string, AgentDriver>>;
  /** Admits agents and records their usage; without it, nothing is counted. */
  readonly accounting?: Accounting;
  /** How long agents may be silent, and run on after their answer. Default: the drivers' defaults. */
  readonly watchdogs?: Watchdogs;
  /** Secrets by name, for webhooks. Their values are masked in everything that leaves an attempt. */
  readonly secrets?: SecretSettings;
  readonly webhooks?: WebhookSetting;
  /** Rules for writes at the forge. Default: the usual limits. */
  readonly writes?: WriteSetting;
  /** Patterns of files that no agent may change, in addition to those that are always protected. */
  readonly protected?: readonly string[];
  /** Where actions are done. */
  readonly forge?: Forge;
  /** Groups of people, by name. */
  readonly groups?: Groups;
  /** Reads what the forge knows about a run's pull request; without it, checks of approvals and CI cannot run. */
  readonly forgeFacts?: (subject: ForgeSubject) => ForgeFacts;
  /** Writes a text that is too long for the instructions, and returns the file. Without it, nothing is cut. */
  readonly keepText?: (of: KeptText, text: string) => string | undefined;
  /** Opens a sink for the output of running programs; without it, only their result has the output. */
  readonly openOutput?: (of: OutputSource) => OutputSink;
  /** The protected databases by name. */
  readonly databases?: Readonly<Record<string, DatabaseService>>;
  /** Where the private copies of databases are created. Default: the temporary folder. */
  readonly copyDir?: string;
  /** Keeps snapshots of the workspace; without it, none are taken. */
  readonly snapshots?: SnapshotKeeper;
  /** Where pid files go, so that a later engine finds the processes that a crashed one left running. */
  readonly pidDir?: string;
  readonly now: () => number;
  /** Receives warnings that no caller waits for. */
  readonly warn?: (error: unknown) => void;
  /**
   * Runs each attempt, and throws an error that its code left behind and nothing awaited.
   * @internal
   */
  readonly guard?: AttemptGuard | undefined;
}

/** Runs an attempt of a step of a run. */
export type AttemptGuard = (
  attempt: { readonly run: string; readonly step: string },
  work: () => Promise<AttemptResult>,
) => Promise<AttemptResult>;

/** Reads only own properties, so that a name such as `constructor` finds nothing. */
export function ownEntry<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
