// Runs everything before the tests of `npm test`, what does not depend on each other at the same time: the library is built
// while the sources are linted, and its types, the published package and unused exports are checked on what was built.
// Prints what a step says only if it fails. The exit code is 0 if all of them passed.

import { spawn } from 'node:child_process';
import { root } from './bundle.js';

/** Each list begins when the one before it has ended. */
const STAGES = [
  ['build', 'lint'],
  ['types', 'shape', 'dead'],
];

/**
 * Runs a script of package.json; resolves with whether it passed.
 * @param {string} script
 * @returns {Promise<boolean>}
 */
function run(script) {
  const began = Date.now();
  const { promise, resolve } = Promise.withResolvers();
  const child = spawn('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      printed += text;
    });
  child.on('error', (error) => {
    printed += `npm could not be started: ${error.message}\n`;
    resolve(false);
  });
  child.on('close', (code) => {
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const hasPassed = code === 0;
    process.stdout.write(`${hasPassed ? '' : printed}${script} ${hasPassed ? 'passed' : 'FAILED'} in ${seconds} s\n`);
    resolve(hasPassed);
  });
  return promise;
}

let hasPassed = true;
for (const stage of STAGES) {
  const passed = await Promise.all(stage.map(run));
  hasPassed &&= passed.every(Boolean);
}
if (!hasPassed) process.exitCode = 1;
