// Owns the facts of a forge that expressions read as `github.*`. Those that a step or a workflow uses are read before each
// evaluation. Null is a value: the forge does not know yet.

import type { Json, JsonObject } from '../../base/json.ts';
import type { StepModel } from '../../definition/model.ts';
import { expressionOf } from '../../definition/scope/scope.ts';
import { templatedPart } from '../../definition/scope/template-scope.ts';
import { parseTemplateTree } from '../../expr/template-tree.ts';
import { type Forge, type ForgeAnswer, mapAnswer, type RetryHint, retryHintOf } from '../../forge/forge.ts';
import { GITHUB } from '../run-records.ts';

/** The parts of a forge that expressions can name. */
export type ForgePart = 'pr' | 'issue' | 'repository';

const PARTS: readonly ForgePart[] = ['pr', 'issue', 'repository'];

/** The issue and the pull request that a run is about, in its data. */
export interface ForgeNumbers {
  readonly issue_number?: Json | undefined;
  readonly pr_number?: Json | undefined;
}

/** The facts that were read; `problem` is why some could not be read, and whether a retry may help. */
export interface ForgeReading {
  readonly facts: JsonObject;
  readonly problem?: RetryHint & { readonly message: string };
}

/** The parts that a step's own templates and conditions name. */
export function forgePartsOf(model: StepModel): readonly ForgePart[] {
  let parts = known.get(model);
  if (parts === undefined) {
    const poll = model.kind === 'delay' ? model.poll?.condition : undefined;
    const sources = [poll, ...[...model.preconditions, ...model.postconditions].map(({ expression }) => expression)];
    const paths = sources.flatMap((source) => (typeof source === 'string' ? expressionOf(source).paths : []));
    const filled = model.templates === true ? parseTemplateTree(templatedPart(model)).paths : [];
    parts = partsIn([...paths, ...filled]);
    known.set(model, parts);
  }
  return parts;
}

const known = new WeakMap<StepModel, readonly ForgePart[]>();

function partsIn(paths: readonly { readonly segments: readonly unknown[] }[]): readonly ForgePart[] {
  const named = paths.filter(({ segments: [root] }) => root === 'github');
  return named.some(({ segments: [, part] }) => part === undefined)
    ? PARTS
    : PARTS.filter((part) => named.some(({ segments }) => segments[1] === part));
}

/** The facts that decisions of a run read. */
export function forgeFacts(forge: Forge | undefined) {
  return {
    key: GITHUB.key,
    dependsOn: ['pr_number', 'issue_number'],
    async read(parts: readonly (string | undefined)[], data: ForgeNumbers): Promise<Json> {
      const named = PARTS.filter((part) => parts.includes(part) || parts.includes(undefined));
      const { facts, problem } = await readForge(forge, data, named);
      return problem === undefined ? facts : { unreadable: problem.message };
    },
  };
}

const NO_FORGE =
  'github.* cannot be read because no forge is configured; set one up, such as "forge: { kind: local }" in .pawl/config.yaml';

/** Reads the named parts. A missing pull request or issue is null. */
export async function readForge(forge: Forge | undefined, data: ForgeNumbers, parts: readonly string[]): Promise<ForgeReading> {
  if (forge === undefined) return { facts: {}, problem: { message: NO_FORGE, isTransient: false } };
  const facts: Record<string, Json> = {};
  for (const part of PARTS.filter((known) => parts.includes(known))) {
    const answer = await readPart(forge, data, part);
    if (answer === null) facts[part] = null;
    else if (answer.result === 'ok') facts[part] = answer.value;
    else return { facts, problem: { message: `github.${part} could not be read: ${answer.message}`, ...retryHintOf(answer) } };
  }
  return { facts };
}

async function readPart(forge: Forge, data: ForgeNumbers, part: ForgePart): Promise<ForgeAnswer<JsonObject> | null> {
  if (part === 'repository') return snakeCased(await forge.repository());
  const number = part === 'pr' ? data.pr_number : data.issue_number;
  if (typeof number !== 'number') return null;
  return snakeCased(part === 'pr' ? await forge.pullRequest(number) : await forge.issue(number));
}

/** The facts with the names that templates use: `head_sha`, not `headSha`. */
function snakeCased(answer: ForgeAnswer<object>): ForgeAnswer<JsonObject> {
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return mapAnswer(answer, (facts) => Object.fromEntries(Object.entries(facts).map(([name, value]) => [snakeCase(name), value as Json])));
}
