// Fuzzes the expression language: `npm run fuzz` compares a million generated expressions and templates with the
// reference interpreter, `node scripts/fuzz.js --expressions 1000` that many, and `--seed 1234` begins there. The exit code is 1 as soon as one disagrees,
// takes over 50 ms, or leaves a mark on a built-in prototype.

import { inspect, parseArgs } from 'node:util';
import { Disagreement, tryExpression } from '../test/expr/differential.ts';
import { prototypeKeys } from '../test/expr/prototypes.ts';

const SEEDS_PER_LINE = 100_000;

const { values } = parseArgs({ options: { seed: { type: 'string' }, expressions: { type: 'string' } } });
const first = wholeNumber('--seed', values.seed ?? '1');
const count = wholeNumber('--expressions', values.expressions ?? (values.seed === undefined ? '1000000' : '1'));
// Half of the expressions end in an error, and making their stacks would take most of the time.
if (count > 1) Error.stackTraceLimit = 0;
process.exitCode = fuzz();

function fuzz() {
  const began = performance.now();
  const untouched = prototypeKeys();
  const ends = { value: 0, error: 0, unreadable: 0 };
  let slowestMs = 0;
  for (let done = 1; done <= count; done += 1) {
    const trial = tryOne(first + done - 1);
    if (trial === undefined) return 1;
    ends[trial.ended] += 1;
    slowestMs = Math.max(slowestMs, trial.tookMs);
    if (done % SEEDS_PER_LINE !== 0 && done !== count) continue;
    if (prototypeKeys() !== untouched) return complain(`a built-in prototype was changed by one of the last ${SEEDS_PER_LINE} seeds`);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`fuzz: ${done} expressions, 0 failed, slowest ${slowestMs.toFixed(1)} ms, ${seconds} s\n`);
  }
  process.stdout.write(`${ends.value} with a value, ${ends.error} with an error, ${ends.unreadable} refused when read\n`);
  return 0;
}

/** @param {number} seed */
function tryOne(seed) {
  try {
    return tryExpression(seed);
  } catch (error) {
    complain(`seed ${seed} failed; "node scripts/fuzz.js --seed ${seed}" shows it again`);
    process.stderr.write(error instanceof Disagreement ? `${error.message}\n` : `${inspect(error)}\n`);
    if (error instanceof Disagreement && error.cause !== undefined) process.stderr.write(`${inspect(error.cause)}\n`);
    return undefined;
  }
}

/** @param {string} message */
function complain(message) {
  process.stderr.write(`fuzz: ${message}\n`);
  return 1;
}

/** @param {string} name @param {string} text */
function wholeNumber(name, text) {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`fuzz: ${name} is ${text}; give a whole number\n`);
  process.exit(2);
}
