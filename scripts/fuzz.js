// Fuzzes with random seeds: `npm run fuzz` compares a million generated expressions and templates with the reference interpreter,
// and checks 100,000 mutated workflow files. `node scripts/fuzz.js --expressions 1000` or `--files 1000` tries that many, and
// `--seed 1234` begins there. The exit code is 1 as soon as one fails (an expression disagrees, a file crashes the checker or is
// read differently when it is read quickly), a file takes over 50 ms each time it is checked, or a built-in prototype was changed.

import { inspect, parseArgs } from 'node:util';
import { Disagreement, tryExpression } from '../test/expr/differential.ts';
import { prototypeKeys } from '../test/expr/prototypes.ts';
import { mutated, tryFile } from '../test/seeds/yaml-mutation.ts';
import { wholeNumber } from './whole-number.js';

const HANG_MS = 50;

/**
 * What is fuzzed: `attempt` tries one seed and throws if it fails; `summary` says what came of all of them.
 * @typedef {{ readonly perLine: number, readonly attempt: (seed: number) => void, readonly summary: () => string, readonly explain: (seed: number, error: unknown) => string }} Target
 */

/** @returns {Target} */
function expressions() {
  const ends = { value: 0, error: 0, unreadable: 0 };
  let slowestMs = 0;
  return {
    perLine: 100_000,
    attempt: (seed) => {
      const { ended, tookMs } = tryExpression(seed);
      ends[ended] += 1;
      slowestMs = Math.max(slowestMs, tookMs);
    },
    summary: () =>
      `slowest ${slowestMs.toFixed(1)} ms, ${ends.value} with a value, ${ends.error} with an error, ${ends.unreadable} refused when read`,
    explain: (_, error) => (error instanceof Disagreement ? `${error.message}\n${inspect(error.cause)}` : inspect(error)),
  };
}

/** @returns {Target} */
function files() {
  let valid = 0;
  return {
    perLine: 10_000,
    attempt: (seed) => {
      const { isValid, tookMs } = tryFile(seed);
      if (isValid) valid += 1;
      if (tookMs > HANG_MS && [1, 2, 3].every(() => tryFile(seed).tookMs > HANG_MS)) throw new Error(`it took ${tookMs.toFixed(0)} ms`);
    },
    summary: () => `${valid} valid`,
    explain: (seed, error) => `${inspect(error)}\n\n${mutated(seed)}`,
  };
}

/**
 * Tries seeds; returns whether all of them passed.
 * @param {'expressions' | 'files'} name
 * @param {Target} target
 * @param {{ readonly first: number, readonly count: number }} seeds
 */
function fuzz(name, { perLine, attempt, summary, explain }, { first, count }) {
  const began = performance.now();
  const untouched = prototypeKeys();
  for (let done = 1; done <= count; done += 1) {
    const seed = first + done - 1;
    try {
      attempt(seed);
    } catch (error) {
      process.stderr.write(`fuzz: seed ${seed} failed; "node scripts/fuzz.js --${name} 1 --seed ${seed}" shows it again\n`);
      process.stderr.write(`${explain(seed, error)}\n`);
      return false;
    }
    if (done % perLine !== 0 && done !== count) continue;
    if (prototypeKeys() !== untouched) {
      process.stderr.write(`fuzz: a built-in prototype was changed by seed ${seed} or one of the ${perLine} before it\n`);
      return false;
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`fuzz: ${done} ${name}, 0 failed, ${summary()}, ${seconds} s\n`);
  }
  return true;
}

const { values } = parseArgs({ options: { seed: { type: 'string' }, expressions: { type: 'string' }, files: { type: 'string' } } });
const isAll = values.expressions === undefined && values.files === undefined;
const first = wholeNumber('seed', values.seed ?? '1');
const counts = {
  expressions: wholeNumber('expressions', values.expressions ?? (isAll ? '1000000' : '0')),
  files: wholeNumber('files', values.files ?? (isAll ? '100000' : '0')),
};
// Half of the expressions end in an error, and making their stacks would take most of the time.
if (counts.expressions > 1) Error.stackTraceLimit = 0;
const hasPassed =
  fuzz('expressions', expressions(), { first, count: counts.expressions }) && fuzz('files', files(), { first, count: counts.files });
process.exitCode = hasPassed ? 0 : 1;
