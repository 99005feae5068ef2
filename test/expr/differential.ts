// Owns one trial of the fuzzer: something generated is given to the language and to the reference, and both must say
// the same. Everything follows from the seed, so that a seed that fails is a test.

import { inspect, isDeepStrictEqual } from 'node:util';
import { EngineError } from '../../src/base/error.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { evaluate, parseExpression } from '../../src/expr/expression.ts';
import { parseTemplate, renderTemplate } from '../../src/expr/template.ts';
import { Random } from '../../src/proof/simulate/random.ts';
import { cpuTimeMs } from '../cpu-time.ts';
import { randomScope, randomTemplate, randomTree, spoiled } from './generate.ts';
import { Gone, meaning, printJson, Wrong } from './reference.ts';
import { print, printLeast, type Tree } from './tree.ts';

const KINDS = ['tree', 'tree', 'tree', 'template', 'spoiled'] as const;
const SLOW_MS = 50;
const DOUBTFUL_MS = 5;

/** What came of a trial: how it ended and how long the language took. */
export interface Trial {
  readonly ended: 'value' | 'error' | 'unreadable';
  readonly tookMs: number;
}

/** A generated case on which the language and the reference do not agree, or that ended in no allowed way. */
export class Disagreement extends Error {}

/** Generates the case of a seed and judges it. */
export function tryExpression(seed: number): Trial {
  const random = new Random(seed);
  const names = randomScope(random);
  const kind = random.pick(KINDS);
  if (kind === 'template') return tryTemplate(randomTemplate(random), names);
  const tree = randomTree(random, random.int(1, 16));
  const source = random.chance(0.5) ? print(tree) : printLeast(tree);
  if (kind === 'tree') return timed(source, () => judge(source, opinion(source, names), () => meaning(tree, names)));
  const text = spoiled(source, random);
  return timed(text, () => endOf(opinion(text, names)));
}

/** The value, or which kind of error there was: an absent name tells itself by what `??` makes of it. */
export function opinion(source: string, names: JsonObject): Opinion {
  const direct = settled(() => evaluate(parseExpression(source), names));
  return direct === 'wrong' && settled(() => evaluate(parseExpression(`(${source}) ?? 0`), names)) !== 'wrong' ? 'gone' : direct;
}

/** What the reference says of the same. */
export function secondOpinion(reference: () => Json): Opinion {
  try {
    return { value: reference() };
  } catch (thrown) {
    if (thrown instanceof Gone) return 'gone';
    if (thrown instanceof Wrong) return 'wrong';
    throw thrown;
  }
}

type Opinion = { readonly value: Json } | 'gone' | 'wrong' | 'unreadable';

function tryTemplate(parts: readonly (string | Tree)[], names: JsonObject): Trial {
  const source = parts.map((part) => (typeof part === 'string' ? part : `{{ ${print(part)} }}`)).join('');
  const placeholders = parts.filter((part) => typeof part !== 'string');
  const isWhole = placeholders.length === 1 && parts.every((part) => typeof part !== 'string' || part.trim() === '');
  const reference = () => (isWhole ? meaning(placeholders[0] as Tree, names) : parts.map((part) => partText(part, names)).join(''));
  return timed(source, () => {
    const ours = settled(() => renderTemplate(parseTemplate(source), names));
    // A template has nothing that could answer a missing name, so here both kinds of error are one.
    return judge(source, ours, () => (ours === 'wrong' ? eitherWrong(reference) : reference()));
  });
}

function partText(part: string | Tree, names: JsonObject): string {
  if (typeof part === 'string') return part;
  const value = meaning(part, names);
  if (value === null) throw new Wrong();
  return typeof value === 'string' ? value : printJson(value);
}

function eitherWrong(reference: () => Json): Json {
  try {
    return reference();
  } catch (thrown) {
    throw thrown instanceof Gone ? new Wrong() : thrown;
  }
}

function settled(action: () => Json): Opinion {
  try {
    return { value: action() };
  } catch (thrown) {
    if (thrown instanceof EngineError && thrown.code === 'EXPRESSION_EVALUATION') return 'wrong';
    if (thrown instanceof EngineError && /^EXPRESSION_/.test(thrown.code)) return 'unreadable';
    throw new Disagreement('it ended with something that is no error of expressions', { cause: thrown });
  }
}

function judge(source: string, ours: Opinion, reference: () => Json): Trial['ended'] {
  const theirs = secondOpinion(reference);
  if (!isDeepStrictEqual(ours, theirs)) throw new Disagreement(`${source}\n  is        ${said(ours)}\n  should be ${said(theirs)}`);
  return endOf(ours);
}

function endOf(ours: Opinion): Trial['ended'] {
  return typeof ours === 'object' ? 'value' : ours === 'unreadable' ? ours : 'error';
}

function said(opinion: Opinion): string {
  return typeof opinion === 'string' ? opinion : inspect(opinion.value, { depth: 20 });
}

/** A pause of the machine is not the expression's: what seems slow is tried again, and its best time counts. */
function timed(source: string, action: () => Trial['ended']): Trial {
  let tookMs = Number.POSITIVE_INFINITY;
  let ended: Trial['ended'] = 'error';
  for (let tries = 0; tries < 5 && tookMs > DOUBTFUL_MS; tries += 1) {
    const start = cpuTimeMs();
    ended = action();
    tookMs = Math.min(tookMs, cpuTimeMs() - start);
  }
  if (tookMs > SLOW_MS) throw new Disagreement(`${source}\n  took ${tookMs.toFixed(0)} ms, and at most ${SLOW_MS} are allowed`);
  return { ended, tookMs };
}
