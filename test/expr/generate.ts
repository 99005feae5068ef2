// Owns what the fuzzer draws from a seed: expressions by their grammar, texts that are nearly expressions, templates,
// and the data they look at.

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Random } from '../../src/proof/simulate/random.ts';
import { ARITY } from './reference.ts';
import { OPERATORS, type Tree } from './tree.ts';

const KEYS = ['a', 'b', 'c', 'length', '__proto__', 'x-y'];
const STEPS = [...KEYS, 0, 1, '*'];
const ROOTS = ['a', 'b', 'c', 'd'];
const NUMBERS = [0, 1, 2, 2.5, 7];
const SCALARS = [null, true, false, 0, 1, 2, 2.5, 7, 1e300, 'a', 'b', 'ab', '', ' a', '{{ a }}', 'É😀', '\n'];
const FILTERS = Object.keys(ARITY);
const ARITHMETIC = ['+', '-', '*', '/', '%'];
const COMPARISONS = ['==', '!=', '===', '!==', '<', '<=', '>', '>='];
const LOGIC = ['&&', '||', 'and', 'or', '==', '!='];
// What is named more than once is drawn more often.
const FORMS = [
  'truth',
  'truth',
  'number',
  'number',
  'two',
  'two',
  'path',
  'path',
  'pipe',
  'pipe',
  'pipe',
  'not',
  'minus',
  'if',
  'list',
] as const;
const TRUTHS = ['order', 'order', 'logic', 'logic', 'not', 'if'] as const;
const DATA = ['scalar', 'list', 'object'] as const;
/** Bits of other languages, and of ours in the wrong place. */
const SCRAPS = (
  "a b.c . .. * [ ] ( ) 1 1. .5 0x1 1e999 'x' \" ' | || length first map('a') not in and ? ?? ?. : == = === => < - -- ! , ; { } {{ }} " +
  '\\ \\u0063 ` / # @ $ _ constructor __proto__ prototype toString() this new import() globalThis process null true secrets'
).split(' ');
const TEXTS = ['', ' ', 'x', '\n', '}}', '}', '{ ', '{%', '$' + '{a}', "it's ", '"', '\\', '😀', '{#'];

/** An expression; `fuel` is about how many nodes it may have. */
export function randomTree(random: Random, fuel: number): Tree {
  if (fuel <= 1) return random.chance(0.5) ? randomValue(random) : randomPath(random, 0);
  const rest = fuel - 1;
  const half = () => randomTree(random, rest / 2);
  switch (random.pick(FORMS)) {
    case 'truth':
      return randomTruth(random, rest);
    case 'number':
      return randomNumber(random, rest);
    case 'two':
      return { is: 'two', operator: random.pick(OPERATORS), left: half(), right: half() };
    case 'path':
      return randomPath(random, rest);
    case 'pipe':
      return randomPipe(random, rest);
    case 'not':
      return { is: 'not', of: randomTree(random, rest) };
    case 'minus':
      return { is: 'minus', of: randomTree(random, rest) };
    case 'if':
      return { is: 'if', test: randomTruth(random, rest / 3), yes: randomTree(random, rest / 3), no: randomTree(random, rest / 3) };
    case 'list':
      return { is: 'list', items: Array.from({ length: random.int(0, 3) }, () => randomTree(random, rest / 3)) };
  }
}

/** Operands that fit their operators: without these, nearly every tree would be an error at its first leaf. */
function randomTruth(random: Random, fuel: number): Tree {
  const kind = fuel <= 1 ? 'order' : random.pick(TRUTHS);
  const half = () => randomTruth(random, fuel / 2);
  if (kind === 'order') {
    const side = () => randomNumber(random, fuel / 2);
    return { is: 'two', operator: random.pick(COMPARISONS), left: side(), right: side() };
  }
  if (kind === 'logic') return { is: 'two', operator: random.pick(LOGIC), left: half(), right: half() };
  return kind === 'not' ? { is: 'not', of: randomTruth(random, fuel - 1) } : { is: 'if', test: half(), yes: half(), no: half() };
}

function randomNumber(random: Random, fuel: number): Tree {
  if (fuel <= 1) return { is: 'value', value: random.pick(NUMBERS) };
  if (random.chance(0.2)) return { is: 'minus', of: randomNumber(random, fuel - 1) };
  const side = () => randomNumber(random, fuel / 2);
  return { is: 'two', operator: random.pick(ARITHMETIC), left: side(), right: side() };
}

function randomValue(random: Random): Tree {
  return { is: 'value', value: random.pick(SCALARS) };
}

function randomPath(random: Random, fuel: number): Tree {
  const step = () => (fuel > 1 && random.chance(0.15) ? randomTree(random, fuel / 3) : random.pick(STEPS));
  return { is: 'path', root: random.pick(ROOTS), steps: Array.from({ length: random.int(0, 3) }, step) };
}

function randomPipe(random: Random, fuel: number): Tree {
  const filter = random.pick(FILTERS);
  const args = Array.from({ length: ARITY[filter] as number }, () => randomTree(random, fuel / 3));
  return { is: 'pipe', value: randomTree(random, (fuel * 2) / 3), filter, args };
}

/** Names and their data; some names may be missing. */
export function randomScope(random: Random): JsonObject {
  return Object.fromEntries(['a', 'b', 'c'].filter(() => random.chance(0.9)).map((name) => [name, randomData(random, 3)]));
}

function randomData(random: Random, depth: number): Json {
  const kind = depth === 0 ? 'scalar' : random.pick(DATA);
  if (kind === 'scalar') return random.pick(SCALARS);
  const size = random.int(0, 3);
  if (kind === 'list') return Array.from({ length: size }, () => randomData(random, depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(KEYS), randomData(random, depth - 1)]));
}

/** Text that is an expression but for a few slips, or no expression at all. */
export function spoiled(source: string, random: Random): string {
  if (random.chance(0.2)) return Array.from({ length: random.int(0, 20) }, () => random.pick(SCRAPS)).join(random.pick(['', ' ']));
  let text = source;
  for (let slips = random.int(1, 3); slips > 0; slips -= 1) {
    const at = random.int(0, text.length);
    const end = at + random.int(0, 4);
    text = text.slice(0, at) + (random.chance(0.2) ? text.slice(at, end).repeat(3) : random.pick(SCRAPS)) + text.slice(end);
  }
  return text;
}

/** A template as its parts: texts, and the trees of its placeholders. */
export function randomTemplate(random: Random): (string | Tree)[] {
  const parts = Array.from({ length: random.int(0, 5) }, () => (random.chance(0.5) ? random.pick(TEXTS) : randomTree(random, 4)));
  return parts.length === 0 ? [''] : parts;
}
