// Reads the logs of a run and its child runs as they grow, whichever process drives them. Only reads the store.

import { isJsonObject, type Json } from '../../base/json.ts';
import { isReviewWorkflow, mayReject, type ReviewedStep, rejectionOf } from '../../control/review-round.ts';
import { membersOf } from '../../definition/model.ts';
import type { TranscriptId } from '../../engine/transcript/transcripts.ts';
import { type Activation, childOf, type Path } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { EventRow, Store } from '../../store/store.ts';
import { type EndReason, RunProgress } from './progress.ts';

/** A run and its child runs. */
export interface ProgressNode {
  readonly run: string;
  readonly progress: RunProgress;
  readonly titles: ReadonlyMap<string, string>;
  readonly children: ReadonlyMap<Path, ProgressNode>;
}

/** An event, with the paths of the parent steps of its run, outermost first. */
export interface ProgressEvent {
  readonly node: ProgressNode;
  readonly under: readonly Path[];
  readonly event: RunEvent;
}

interface Node extends ProgressNode {
  readonly children: Map<Path, Node>;
  titles: ReadonlyMap<string, string>;
  isReview: boolean;
  seq: number;
}

/** Reads a run and its children from the beginning, then the new events with each call. */
export class ProgressReader {
  private readonly store: Store;
  private readonly top: Node;

  constructor(store: Store, run: string) {
    this.store = store;
    this.top = createNode(run);
  }

  get node(): ProgressNode {
    return this.top;
  }

  /** Reads the new events; `onEvent` is called after each was applied. */
  async read(onEvent: (event: ProgressEvent) => void): Promise<void> {
    await this.readNode(this.top, [], onEvent);
  }

  private async readNode(node: Node, under: readonly Path[], onEvent: (event: ProgressEvent) => void): Promise<void> {
    const rows = await this.rowsOf(node);
    if (rows.length > 0 && node.seq === 0) {
      const { definition } = await this.store.load(node.run);
      node.titles = new Map([...definition.steps.flatMap(membersOf), ...definition.steps].map(({ id, title }) => [id, title] as const));
      node.isReview = isReviewWorkflow(definition);
    }
    for (const row of rows) {
      node.seq = row.seq;
      for (const event of row.events) {
        // The last events of a child come before the end of the step that waited for it.
        if (event.type === 'step.settled') await this.readChild(node, { path: event.path, under }, onEvent);
        node.progress.apply(event, await this.reasonOf(node, event));
        onEvent({ node, under, event });
      }
    }
    for (const path of node.progress.steps.keys())
      if (node.progress.state?.live[path] !== undefined) await this.readChild(node, { path, under }, onEvent);
  }

  /** Why a gate failed or a review rejects the work, from the step's output. */
  private async reasonOf(node: Node, event: RunEvent): Promise<EndReason | undefined> {
    if (event.type !== 'step.settled' || event.error !== undefined) return undefined;
    const { outcome, output } = event;
    const reviewed: ReviewedStep = { outcome, isMember: node.progress.state?.live[event.path]?.member !== undefined };
    if (outcome !== 'fail' && !mayReject(reviewed, node.isReview)) return undefined;
    if (output === undefined || output.bytes > OUTPUT_BYTES_MAX) return undefined;
    const text = (await this.store.values([output.digest])).get(output.digest);
    if (text === undefined) return undefined;
    const value = JSON.parse(text) as Json;
    const rejects = rejectionOf(reviewed, value, node.isReview);
    const error = rejects === undefined ? failedCheck(value) : shortened(rejects);
    return error === undefined ? undefined : { error, rejects: rejects !== undefined };
  }

  /** The new rows of a log; none for a child that has not started. */
  private async rowsOf(node: Node): Promise<readonly EventRow[]> {
    if (node !== this.top && node.seq === 0 && (await this.store.resolve(node.run, 1)).length === 0) return [];
    return this.store.events(node.run, node.seq);
  }

  private async readChild(
    node: Node,
    at: { readonly path: Path; readonly under: readonly Path[] },
    onEvent: (event: ProgressEvent) => void,
  ): Promise<void> {
    const run = childOf(node.progress.steps.get(at.path)?.activation);
    if (run === undefined) return;
    const child = node.children.get(at.path) ?? createNode(run);
    node.children.set(at.path, child);
    await this.readNode(child, [...at.under, at.path], onEvent);
  }
}

const OUTPUT_BYTES_MAX = 64 * 1024;
const REASON_MAX = 200;

/** The first line about the first failed check, and the number of the others. */
function failedCheck(output: Json): string | undefined {
  const failed = isJsonObject(output) && Array.isArray(output.failed_checks) ? output.failed_checks : [];
  const [first] = failed;
  if (typeof first !== 'string') return undefined;
  const shown = shortened(first);
  return failed.length === 1 ? shown : `${shown} (and ${failed.length - 1} more)`;
}

function shortened(text: string): string {
  const line = text.split('\n', 1)[0] as string;
  return line.length > REASON_MAX ? `${line.slice(0, REASON_MAX)}\u2026` : line;
}

/** The attempt that an event ended: its step settled, or it failed and is retried. */
export function endedAttempt(node: Pick<ProgressNode, 'run'>, event: RunEvent): TranscriptId | undefined {
  const { run } = node;
  if (event.type === 'step.changed' && event.failed !== undefined)
    return { run, path: event.activation.path, attempt: event.failed.attempt };
  return event.type === 'step.settled' ? { run, path: event.path, attempt: event.attempt } : undefined;
}

interface LiveAttempt {
  readonly attempt: TranscriptId;
  readonly under: readonly Path[];
}

const ACTIVE: ReadonlySet<string> = new Set(['preparing', 'running', 'verifying', 'reconciling']);

/** The activations of a checkpoint that are being worked on. */
export function activeIn({ live }: Pick<RunState, 'live'>): Activation[] {
  return Object.values(live).filter(({ state }) => ACTIVE.has(state));
}

/** The running attempts of a run and its child runs. */
export function liveAttempts(node: ProgressNode, under: readonly Path[] = []): LiveAttempt[] {
  const { progress, children, run } = node;
  const attempts = (progress.state === undefined ? [] : activeIn(progress.state)).map(({ path, attempt }) => ({
    attempt: { run, path, attempt },
    under,
  }));
  const inChildren = [...children].flatMap(([path, child]) =>
    progress.state?.live[path] === undefined ? [] : liveAttempts(child, [...under, path]),
  );
  return [...attempts, ...inChildren];
}

function createNode(run: string): Node {
  return { run, progress: new RunProgress(), titles: new Map(), children: new Map(), isReview: false, seq: 0 };
}
