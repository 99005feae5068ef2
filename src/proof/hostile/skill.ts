// Finds out which steps of a skill an agent can skip without being noticed. Each step is attacked alone: an agent that
// does not do the work claims that it is done, and leaves the documents of a cheating agent. The checks are those of a run.
//
// A step is *enforced* if every one of these agents is rejected, and *advised* if one is accepted: then only the agent
// says that it was done. A required command or report does not count, because both can succeed without the work.

import { posix } from 'node:path';
import type { Json, JsonObject } from '../../base/json.ts';
import { type AcceptedDocument, contractFaults, documentDigest } from '../../definition/contract/contract-faults.ts';
import { type DocumentContract, filledContract, isJsonDocument, type StepContract } from '../../definition/contract/step-contract.ts';
import { judgeDocuments } from '../../definition/review/review-loop.ts';
import { everyContext } from '../../skills/contexts.ts';
import { gateAfter, type Skill, type SkillStep, type SkillWorkStep } from '../../skills/skill.ts';

/** The text that a cheating agent writes to a document; undefined: it does not change the file. */
type Cheat = (document: DocumentContract, earlier: string) => string | undefined;

const CHEATS: Readonly<Record<string, Cheat>> = {
  skips: () => undefined,
  empties: () => '',
  'holds-places': (document) => placeholders(document, 'TODO'),
  'repeats-titles': (document) => placeholders(document, undefined),
  copies: (_, earlier) => earlier,
  // The document of the last visit, with other line breaks.
  reuses: (_, earlier) => `${earlier.replaceAll(' ', '\n')}\n`,
};

/** How an attack on one step of a skill ended. */
export interface SkillAttack {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly enforced: boolean;
  /** The agents that were not detected. */
  readonly undetected: readonly string[];
  /** The check that rejected the bare claim, or the reason why none did. */
  readonly why: string;
}

/** How the attacks on a skill ended. */
export interface SkillAttacks {
  readonly skill: string;
  readonly steps: readonly SkillAttack[];
  readonly enforced: number;
  /** Enforced steps of all steps, from 0 to 1. */
  readonly share: number;
  /** The report as text. */
  report(): string;
}

/** Attacks every step of a skill. `skillNamed` finds the skills of its sub-agents. */
export function attackSkill(
  skill: Skill,
  { skillNamed = () => undefined }: { skillNamed?: (name: string) => Skill | undefined } = {},
): SkillAttacks {
  const steps = skill.steps.map((step, index) => attackStep(skill, { step, number: index + 1, skillNamed }));
  const enforced = steps.filter((step) => step.enforced).length;
  const found = { skill: skill.name, steps, enforced, share: steps.length === 0 ? 0 : enforced / steps.length };
  return { ...found, report: () => formatSkillAttacks(found) };
}

interface Target {
  readonly step: SkillStep;
  readonly number: number;
  readonly skillNamed: (name: string) => Skill | undefined;
}

function attackStep(skill: Skill, { step, number, skillNamed }: Target): SkillAttack {
  const { id, title } = step;
  const at = { number, id, title };
  if (step.gate !== undefined) return { ...at, enforced: true, undetected: [], why: 'the engine decides it from what the review wrote' };
  const { contract, dispatch } = step;
  const child = dispatch === undefined ? undefined : skillNamed(dispatch.skill);
  if (child !== undefined && child.name !== skill.name) {
    const { share } = attackSkill(child, { skillNamed });
    if (share === 1) return { ...at, enforced: true, undetected: [], why: `every step of "${child.name}" is enforced` };
  }
  const tries = Object.keys(CHEATS).map((name) => ({ name, faults: faultsOf(skill, { step, contract, number }, name) }));
  const believed = tries.filter(({ faults }) => faults.length === 0).map(({ name }) => name);
  const why = tries[0]?.faults[0] ?? step.advisory ?? 'nothing about it is checked but what its agent reports';
  return { ...at, enforced: believed.length === 0, undetected: believed, why };
}

const EARLIER = 'notes-of-an-earlier-step.md';
const EARLIER_TEXT =
  'The parser reads one file at a time. It keeps what it has seen in a table that is emptied when the file ends, so two files never meet.';

/** The faults that are found in the files of a cheating agent. */
function faultsOf(
  skill: Skill,
  { contract = {}, number }: { readonly step: SkillWorkStep; readonly contract: StepContract | undefined; readonly number: number },
  name: string,
): readonly string[] {
  const params: JsonObject = everyContext(skill, number)[0]?.params ?? {};
  const filledIn = filledContract(contract, params);
  const before = new Map((filledIn.documents ?? []).map(({ path }) => [path, EARLIER_TEXT]));
  const files = new Map<string, string>(name === 'reuses' ? before : []);
  for (const document of filledIn.documents ?? []) {
    const left = CHEATS[name]?.(document, EARLIER_TEXT);
    if (left !== undefined) files.set(document.path, left);
  }
  files.set(EARLIER, EARLIER_TEXT);
  const read = (path: string): string | undefined => files.get(path);
  const accepted = new Map<string, AcceptedDocument>([[EARLIER, { digest: documentDigest(EARLIER_TEXT), step: 'earlier' }]]);
  const digestBefore = (path: string): string | undefined =>
    name === 'reuses' && before.has(path) ? documentDigest(EARLIER_TEXT) : undefined;
  const faults = contractFaults(filledIn, {
    read,
    fileOf: posix.normalize,
    before: digestBefore,
    accepted,
    changed: () => [],
    isWritten: () => false,
  });
  return [...faults, ...reviewFaults(skill, number, read)];
}

/** The faults that the gate after a review finds in its documents. */
function reviewFaults(skill: Skill, number: number, read: (path: string) => string | undefined): readonly string[] {
  const gate = gateAfter(skill, number)?.gate;
  if (gate?.items === undefined || gate.verdicts === undefined) return [];
  const document = (path: string) => ({ path, text: read(path) });
  const judged = judgeDocuments(gate.qrName, undefined, { items: document(gate.items), verdicts: document(gate.verdicts) });
  return 'faults' in judged ? judged.faults : [];
}

/** A document with all its headings, and under each a placeholder, or only the heading again. */
function placeholders(document: DocumentContract, word: string | undefined): string {
  if (isJsonDocument(document)) return JSON.stringify(sampleOf(document.json ?? {}, word, 'document'));
  const titles = (document.sections ?? ['Notes']).map((section) => (typeof section === 'string' ? section : section.title));
  return titles.map((title) => `## ${title}\n\n- ${word ?? title}\n- ${word ?? title}\n`).join('\n');
}

const LIST_LENGTH = 1;

/** A value that fits a schema but has no content. */
function sampleOf(schema: Json, word: string | undefined, name: string): Json {
  const text = word ?? name;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return text;
  const { type, enum: words, const: only, properties = {}, required = [], items = {}, minItems, minimum } = schema as JsonObject;
  if (only !== undefined) return only;
  if (Array.isArray(words)) return (words[0] as Json | undefined) ?? null;
  if (type === 'array') return Array.from({ length: Number(minItems ?? LIST_LENGTH) }, () => sampleOf(items, word, name));
  if (type === 'number' || type === 'integer') return Number(minimum ?? 1);
  if (type === 'boolean') return true;
  if (type === 'string') return text;
  return Object.fromEntries((required as string[]).map((field) => [field, sampleOf((properties as JsonObject)[field] ?? {}, word, field)]));
}

/** The attacks on a skill as text: a line per step. */
function formatSkillAttacks({ skill, steps, enforced }: Omit<SkillAttacks, 'report'>): string {
  const width = Math.max(0, ...steps.map(({ id }) => id.length));
  const lines = steps.map(({ number, id, enforced: is, undetected: believed, why }) => {
    const got = believed.length === 0 ? why : `${why} (believed: ${believed.join(', ')})`;
    return `  ${is ? 'enforced' : 'advised '}  ${String(number).padStart(2)}  ${id.padEnd(width)}  ${got}`;
  });
  return [`${skill}: ${enforced} of ${steps.length} steps enforced`, ...lines].join('\n');
}
