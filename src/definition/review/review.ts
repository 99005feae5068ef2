// Owns the rule by which a quality review ends. The work is split once into items, and these are frozen: later rounds
// verify the same items again. Reviewers only report what they saw; this file decides what follows.
//
// - Fewer severities stop the work in later rounds (`BLOCKING_BY_ROUND`), and after `REVIEW_ROUNDS_MAX` a person decides.
// - A finding outside the items is late: a MUST joins the items, anything else becomes a follow-up. Neither extends the
//   bound. Reviewers do not know of each other, so the same text from several of them is one finding.
// - Every item that can stop the round needs one verdict, with evidence. A round with less is invalid.

/** The severities of findings, most severe first. */
export const SEVERITIES = ['MUST', 'SHOULD', 'COULD'] as const;

/** The severity of a finding. */
export type FindingSeverity = (typeof SEVERITIES)[number];

/** Which severities stop the work, by the first round in which they do. */
export const BLOCKING_BY_ROUND: readonly { readonly from: number; readonly blocks: readonly FindingSeverity[] }[] = [
  { from: 1, blocks: ['MUST', 'SHOULD', 'COULD'] },
  { from: 3, blocks: ['MUST', 'SHOULD'] },
  { from: 5, blocks: ['MUST'] },
];

/** After this many rounds a person decides. */
export const REVIEW_ROUNDS_MAX = 8;

/** The maximum number of items of a review, including late ones. */
export const REVIEW_ITEMS_MAX = 200;

/** The severities that stop the work in a round. */
export function blockingSeverities(round: number): readonly FindingSeverity[] {
  return BLOCKING_BY_ROUND.findLast(({ from }) => from <= round)?.blocks ?? SEVERITIES;
}

/** The first line of a review: its name, its round, and whether it starts afresh. */
export function reviewBanner(name: string, round: number, isFresh: boolean): string {
  if (round === 1) return `${name.toUpperCase()}: Review the work for issues.`;
  return `${name.toUpperCase()} (Iteration ${round}${isFresh ? ', fresh review' : ''}): Previous review found issues.`;
}

/** One thing to verify, as a question that can be answered by checking. */
export interface ReviewItem {
  readonly id: string;
  readonly severity: FindingSeverity;
  readonly question: string;
}

/** The verdict of a reviewer on an item, with its evidence. */
export interface ItemVerdict {
  readonly id: string;
  readonly status: 'pass' | 'fail';
  /** What was seen, and where. */
  readonly evidence: string;
}

/** A finding of a reviewer that belongs to no item. */
export interface LateFinding {
  readonly severity: FindingSeverity;
  readonly text: string;
}

/** The verdicts of the reviewers of one round. */
export interface ReviewRound {
  readonly verdicts: readonly ItemVerdict[];
  readonly findings: readonly LateFinding[];
}

/** A finding that is not fixed yet. */
export interface OpenFinding {
  /** The item that failed. */
  readonly id?: string;
  readonly severity: FindingSeverity;
  readonly text: string;
  readonly evidence?: string;
}

/** A review after some rounds. */
export interface ReviewState {
  /** How many rounds there were. */
  readonly round: number;
  readonly items: readonly ReviewItem[];
  /** The latest verdict of each item. */
  readonly verdicts: readonly ItemVerdict[];
  /** Left for later: late findings, and failed items that no longer stop the work. */
  readonly followUps: readonly LateFinding[];
  /** How many findings stopped each round. */
  readonly history: readonly number[];
}

/** How a round ended: the work is accepted, is fixed and reviewed again, or a person decides. */
export type ReviewStatus = 'passed' | 'again' | 'exhausted';

/** The decision after a round. */
export interface ReviewDecision {
  readonly status: ReviewStatus;
  readonly state: ReviewState;
  /** The blocking findings, most severe first. */
  readonly blocking: readonly OpenFinding[];
  /** Open findings that do not block. */
  readonly followUps: readonly OpenFinding[];
  /** Whether fewer findings blocked this round than the one before. */
  readonly trend: 'first' | 'better' | 'same' | 'worse';
}

/** A review before its first round. */
export function startReview(items: readonly ReviewItem[]): ReviewState {
  return { round: 0, items, verdicts: [], followUps: [], history: [] };
}

/** The items that the next round verifies: those whose severity can stop it. */
export function itemsToVerify({ round, items }: ReviewState): readonly ReviewItem[] {
  const blocks = blockingSeverities(round + 1);
  return items.filter(({ severity }) => blocks.includes(severity));
}

const ITEM_ID = /^[A-Za-z0-9][\w.-]{0,39}$/;

/** What is wrong with the items that a review was split into. */
export function itemFaults(items: readonly ReviewItem[]): string[] {
  if (items.length === 0) return ['there are no items, so nothing would be reviewed'];
  if (items.length > REVIEW_ITEMS_MAX) return [`there are ${items.length} items; at most ${REVIEW_ITEMS_MAX} are allowed`];
  const ids = items.map(({ id }) => id);
  return items.flatMap(({ id, severity, question }, index) => [
    ...(ITEM_ID.test(id) ? [] : [`item ${index + 1}: "id" must be up to 40 letters, digits or any of _ . -, not ${JSON.stringify(id)}`]),
    ...(ids.indexOf(id) === index ? [] : [`two items have the id "${id}"`]),
    ...(SEVERITIES.includes(severity) ? [] : [`item "${id}": "severity" must be one of ${SEVERITIES.join(', ')}`]),
    ...(question.trim() === '' ? [`item "${id}" has no question`] : []),
  ]);
}

/** What is missing or unexpected in the verdicts of the reviewers of a round. */
export function roundFaults(state: ReviewState, { verdicts, findings }: ReviewRound): string[] {
  const wanted = itemsToVerify(state).map(({ id }) => id);
  const known = new Set(state.items.map(({ id }) => id));
  const given = verdicts.map(({ id }) => id);
  return [
    ...wanted.filter((id) => !given.includes(id)).map((id) => `the item "${id}" has no verdict`),
    ...given
      .filter((id) => !known.has(id))
      .map((id) => `"${id}" is not an item of this review; report anything that no item covers as a finding`),
    ...[...new Set(given.filter((id, index) => given.indexOf(id) !== index))].map((id) => `the item "${id}" has two verdicts`),
    ...verdicts
      .filter(({ status }) => status !== 'pass' && status !== 'fail')
      .map(({ id }) => `the verdict of "${id}" must be pass or fail`),
    ...verdicts.filter(({ evidence }) => evidence.trim() === '').map(({ id }) => `the verdict of "${id}" has no evidence`),
    ...findings.filter(({ severity }) => !SEVERITIES.includes(severity)).map(({ text }) => `the finding "${text}" has no severity`),
    ...(findings.some(({ text }) => text.trim() === '') ? ['a finding has no text'] : []),
  ];
}

/** Decides what follows from a round without faults. `rounds` is the bound of this review. */
export function judgeRound(state: ReviewState, { verdicts, findings }: ReviewRound, rounds: number = REVIEW_ROUNDS_MAX): ReviewDecision {
  const round = state.round + 1;
  const room = Math.max(0, REVIEW_ITEMS_MAX - state.items.length);
  const reported = distinct(findings);
  const asked = new Map(state.items.filter(({ severity }) => severity === 'MUST').map(({ id, question }) => [wordsOf(question), id]));
  const must = reported.filter(({ severity, text }) => severity === 'MUST' && !asked.has(wordsOf(text)));
  const grave = must.slice(0, room);
  // They block as well, and stay on the list, because no later round verifies them.
  const crowdedOut = must.slice(room);
  const ids = lateIds(state, grave.length);
  const joined = grave.map(({ text }, index) => ({ id: ids[index] as string, severity: 'MUST' as const, question: text }));
  const items = [...state.items, ...joined];
  const latest = new Map([...state.verdicts, ...verdicts].map((verdict) => [verdict.id, verdict]));
  for (const { severity, text } of reported) {
    const id = severity === 'MUST' ? asked.get(wordsOf(text)) : undefined;
    if (id !== undefined && latest.get(id)?.status !== 'fail') latest.set(id, { id, status: 'fail', evidence: text });
  }
  for (const { id, question } of joined) latest.set(id, { id, status: 'fail', evidence: question });
  const followUps = distinct([...state.followUps, ...reported.filter(({ severity }) => severity !== 'MUST'), ...crowdedOut]);
  const failed = items.flatMap(({ id, severity, question }): OpenFinding[] => {
    const verdict = latest.get(id);
    return verdict?.status === 'fail' ? [{ id, severity, text: question, evidence: verdict.evidence }] : [];
  });
  const blocks = blockingSeverities(round);
  const blocking = bySeverity([...failed.filter(({ severity }) => blocks.includes(severity)), ...crowdedOut]);
  const [before] = state.history.slice(-1);
  return {
    status: blocking.length === 0 ? 'passed' : round >= rounds ? 'exhausted' : 'again',
    state: { round, items, verdicts: [...latest.values()], followUps, history: [...state.history, blocking.length] },
    blocking,
    followUps: bySeverity([...failed.filter((finding) => !blocking.includes(finding)), ...followUps]),
    trend: before === undefined ? 'first' : blocking.length < before ? 'better' : blocking.length === before ? 'same' : 'worse',
  };
}

/** The words of a finding, normalised so that equal findings compare as equal. */
function wordsOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** The findings, each once. */
function distinct(findings: readonly LateFinding[]): readonly LateFinding[] {
  const words = findings.map(({ severity, text }) => `${severity} ${wordsOf(text)}`);
  return findings.filter((_, index) => words.indexOf(words[index] as string) === index);
}

/** Ids for late findings. They differ from all item ids, because a verdict would otherwise count for both. */
function lateIds({ round, items }: ReviewState, count: number): readonly string[] {
  const taken = new Set(items.map(({ id }) => id));
  const ids: string[] = [];
  for (let number = 1; ids.length < count; number += 1) {
    const id = `late-${round + 1}-${number}`;
    if (!taken.has(id)) ids.push(id);
  }
  return ids;
}

function bySeverity(findings: readonly OpenFinding[]): OpenFinding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}
