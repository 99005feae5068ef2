// Owns a review loop between its rounds: what its gate keeps, whether the items are still those of round 1, and what a
// round leads to. The rule by which reviews end is in `review.ts`; this file applies it to what was written and kept.

import { digestText } from '../../base/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import {
  blockingSeverities,
  judgeRound,
  type LateFinding,
  type OpenFinding,
  REVIEW_ROUNDS_MAX,
  type ReviewDecision,
  type ReviewState,
  type ReviewStatus,
  roundFaults,
  startReview,
} from './review.ts';
import { findingFaults, readFindings, readReviewItems, readReviewRound } from './review-documents.ts';

/** How many more rounds a person grants by not deciding yet. */
const MORE_ROUNDS = 2;

/** The state of an unfinished review, as its gate stored it. */
interface OpenReview {
  readonly state: ReviewState;
  /** The digest of the items in round 1; absent in a review without items. */
  readonly itemsDigest?: string;
  /** After this many rounds a person decides. */
  readonly rounds: number;
}

/** The review that the gate of a loop left open; undefined before the first round and after the last. */
export function openReview(result: Json | undefined): OpenReview | undefined {
  if (result === undefined || !isJsonObject(result)) return undefined;
  const { status, state, itemsDigest, rounds } = result as { readonly [name: string]: Json | undefined };
  if (status === 'passed' || !isJsonObject(state ?? null)) return undefined;
  const bound = typeof rounds === 'number' ? rounds : REVIEW_ROUNDS_MAX;
  return {
    state: state as unknown as ReviewState,
    ...(typeof itemsDigest === 'string' ? { itemsDigest } : {}),
    // Only a person can continue a loop whose rounds are used up.
    rounds: status === 'exhausted' ? bound + MORE_ROUNDS : bound,
  };
}

/** The texts of the documents of a round. */
interface RoundDocuments {
  readonly items: { readonly path: string; readonly text: string | undefined };
  readonly verdicts: { readonly path: string; readonly text: string | undefined };
}

/** A round as its gate stores it and reports it to the worker that fixes the findings. */
interface GateRound {
  readonly status: ReviewStatus;
  readonly round: number;
  readonly rounds: number;
  readonly blocks: readonly string[];
  readonly message: string;
  /** The blocking findings, one line each, most severe first. */
  readonly findings: readonly string[];
  /** What is left for later. */
  readonly followUps: readonly string[];
  readonly state: ReviewState;
  readonly itemsDigest?: string;
}

/** The decision about a round, or why the round is invalid. */
type JudgedRound = { readonly value: GateRound } | { readonly faults: readonly string[] };

/** Judges the documents of a round. `name` is the name of the review. */
export function judgeDocuments(name: string, before: OpenReview | undefined, { items, verdicts }: RoundDocuments): JudgedRound {
  const read = readReviewItems(items.path, items.text);
  if ('faults' in read) return read;
  const itemsDigest = digestText(items.text ?? '');
  if (before?.itemsDigest !== undefined && before.itemsDigest !== itemsDigest)
    return {
      faults: [
        `${items.path}: the items of a review are frozen after round 1, and the file was changed; restore it, and report anything that no item covers as a finding`,
      ],
    };
  const round = readReviewRound(verdicts.path, verdicts.text);
  if ('faults' in round) return round;
  const state = before?.state ?? startReview(read.value);
  const faults = roundFaults(state, round.value);
  if (faults.length > 0) return { faults: faults.map((fault) => `${verdicts.path}: ${fault}`) };
  const rounds = before?.rounds ?? REVIEW_ROUNDS_MAX;
  const { status, state: after, blocking, followUps } = judgeRound(state, round.value, rounds);
  return { value: { ...roundOf(name, { status, after, rounds, blocking, followUps }), itemsDigest } };
}

/** Judges a round of a review without items: by the findings that the reviewer reported. */
export function judgeReport(name: string, before: OpenReview | undefined, report: Json): JudgedRound {
  const { rejects, findings } = reportedFindings(report);
  const faults = reportFaults(report);
  if (faults.length > 0) return { faults };
  const state = before?.state ?? startReview([]);
  const round = state.round + 1;
  const blocks = blockingSeverities(round);
  // The verdict does not decide: a blocking finding stops the work even with an approval.
  const stops = ({ severity }: LateFinding): boolean => blocks.includes(severity) && (rejects || severity === 'MUST');
  const blocking = findings.filter(stops);
  const followUps = [...state.followUps, ...findings.filter((finding) => !stops(finding))];
  const rounds = before?.rounds ?? REVIEW_ROUNDS_MAX;
  const status: ReviewStatus = blocking.length === 0 ? 'passed' : round >= rounds ? 'exhausted' : 'again';
  const after = { ...state, round, followUps, history: [...state.history, blocking.length] };
  return { value: roundOf(name, { status, after, rounds, blocking, followUps }) };
}

/** What is wrong with the report of a review without items. */
export function reportFaults(report: Json): string[] {
  const { rejects, findings } = reportedFindings(report);
  const wrong = findingFaults(findings);
  if (wrong.length > 0 || !rejects || findings.length > 0) return wrong;
  return ['a review that rejects reports what it found: "findings": [{ "severity": "MUST", "text": "…" }]'];
}

function reportedFindings(report: Json): { readonly rejects: boolean; readonly findings: LateFinding[] } {
  const { verdict, status, findings } = isJsonObject(report) ? (report as { readonly [name: string]: Json | undefined }) : {};
  return { rejects: verdict === 'reject' || status === 'FAIL', findings: readFindings(findings) };
}

interface RoundDecision {
  readonly status: ReviewStatus;
  readonly after: ReviewState;
  readonly rounds: number;
  readonly blocking: readonly OpenFinding[];
  readonly followUps: readonly OpenFinding[];
}

function roundOf(name: string, { status, after, rounds, blocking, followUps }: RoundDecision): GateRound {
  const { round } = after;
  const blocks = blockingSeverities(round);
  const found = `${blocking.length} ${blocking.length === 1 ? 'finding stops' : 'findings stop'} the work (${blocks.join(', ')} do in this round)`;
  return {
    status,
    round,
    rounds,
    blocks,
    message: status === 'passed' ? `${name} passed in round ${round}` : `${name}, round ${round} of at most ${rounds}: ${found}`,
    findings: blocking.map(findingLine),
    followUps: followUps.map(findingLine),
    state: after,
  };
}

function findingLine({ id, severity, text, evidence }: OpenFinding): string {
  const named = id === undefined ? severity : `${severity} ${id}`;
  const line = evidence === undefined || evidence === text ? `${named}: ${text}` : `${named}: ${text} Seen: ${evidence}`;
  // The line is part of a list for workers and for the person who decides; its text must not look like further entries.
  return line.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** What a person is asked after the last round. */
interface ExhaustedReview {
  /** The name of the review, its round, and how many findings block. */
  readonly message: string;
  readonly blocking: readonly string[];
  readonly followUps: readonly string[];
  /** Each option, and what it does. */
  readonly options: Readonly<Record<string, string>>;
}

/** The question to a person when the rounds of a review are used up: what blocks, what is left for later, what to choose from. */
export function exhaustedQuestion({ message, blocking, followUps, options }: ExhaustedReview): string {
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];
  return [
    `${message}. It was the last round; no further round is run without you.`,
    ...listed('What stops the work:', blocking),
    ...listed('Left for later, whatever you choose:', followUps),
    ...listed(
      'You can choose:',
      Object.entries(options).map(([label, does]) => `${label}: ${does}`),
    ),
  ].join('\n');
}

/** The same question for a review that was just judged. */
export function questionAfter(name: string, decision: ReviewDecision, options: ExhaustedReview['options']): string {
  const { status, state: after, blocking, followUps } = decision;
  const { message, findings, followUps: later } = roundOf(name, { status, after, rounds: after.round, blocking, followUps });
  return exhaustedQuestion({ message, blocking: findings, followUps: later, options });
}

/** The result of a gate as data. */
export function gateOutput(round: GateRound): JsonObject {
  return JSON.parse(JSON.stringify(round)) as JsonObject;
}
