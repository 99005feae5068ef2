// Fuzzes the checking of workflow files: `npm run fuzz` checks 100,000 mutated files, `node scripts/fuzz-yaml.js --files
// 1000` that many, and `--seed 1234` begins there. The exit code is 1 as soon as one crashes the checker, is told outside
// itself, is read otherwise when it is read quickly, takes over 50 ms whenever it is checked, or leaves a mark on a
// built-in prototype.

import { inspect, parseArgs } from 'node:util';
import { prototypeKeys } from '../test/expr/prototypes.ts';
import { mutated, tryFile } from '../test/seeds/yaml-mutation.ts';

const HANG_MS = 50;
const SEEDS_PER_LINE = 10_000;

const { values } = parseArgs({ options: { seed: { type: 'string' }, files: { type: 'string' } } });
const first = wholeNumber('--seed', values.seed ?? '1');
const count = wholeNumber('--files', values.files ?? (values.seed === undefined ? '100000' : '1'));
process.exitCode = fuzz();

function fuzz() {
  const began = performance.now();
  const untouched = prototypeKeys();
  let valid = 0;
  for (let done = 1; done <= count; done += 1) {
    const seed = first + done - 1;
    const trial = tryOne(seed);
    if (trial === undefined) return 1;
    if (trial.isValid) valid += 1;
    const isSlow = trial.tookMs > HANG_MS && [1, 2, 3].every(() => tryFile(seed).tookMs > HANG_MS);
    if (isSlow) {
      complain(seed, `took ${trial.tookMs.toFixed(0)} ms`);
      process.stderr.write(`\n${trial.text}\n`);
      return 1;
    }
    if (done % SEEDS_PER_LINE !== 0 && done !== count) continue;
    if (prototypeKeys() !== untouched) return complain(seed, `or one of the ${SEEDS_PER_LINE} before it changed a built-in prototype`);
    process.stdout.write(`fuzz: ${done} files, ${valid} valid, 0 failed, ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  }
  return 0;
}

/** @param {number} seed */
function tryOne(seed) {
  try {
    return tryFile(seed);
  } catch (error) {
    complain(seed, 'failed');
    process.stderr.write(`${inspect(error)}\n\n${mutated(seed)}\n`);
    return undefined;
  }
}

/** @param {number} seed @param {string} what */
function complain(seed, what) {
  process.stderr.write(`fuzz: seed ${seed} ${what}; "node scripts/fuzz-yaml.js --seed ${seed}" shows it again\n`);
  return 1;
}

/** @param {string} name @param {string} text */
function wholeNumber(name, text) {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`fuzz: ${name} is ${text}; give a whole number\n`);
  process.exit(2);
}
