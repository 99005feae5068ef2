#!/usr/bin/env node
// The launcher. Any Node from 8 on can parse this file, so that an old one gets a sentence instead of a stack trace. A
// Node that is too old starts the pinned one of the installation in its place, if there is one.
//
// The files of this folder are modules of the older kind, which Node loads sooner than the newer (see package.json).

'use strict';

const { existsSync } = require('fs');
const { join } = require('path');

const COMMANDS = join(__dirname, '..', 'dist', 'cli');

// Most are in a Node that is new enough, and need nothing of what finds another one.
if (Number(process.versions.node.split('.')[0]) >= 24) run(process.argv[2] || '');
else runElsewhere();

function runElsewhere() {
  const { chooseNode, findPinnedNode, runUnder } = require('./node-version.js');
  const choice = chooseNode(process.versions.node, findPinnedNode(__filename));
  if (choice.kind === 'other') runUnder(choice.node, [__filename].concat(process.argv.slice(2)));
  else if (choice.kind === 'none') refuse(choice.message);
}

/**
 * A command that is called all day lies in one file with all it takes.
 *
 * @param {string} command
 */
function run(command) {
  const alone = join(COMMANDS, `${command}.run.js`);
  const all = join(COMMANDS, 'main.js');
  if (/^[a-z]+$/.test(command) && existsSync(alone)) {
    const { loadCompiled } = require('./compiled.js');
    loadCompiled(alone).main();
  } else if (existsSync(all)) {
    require('module').enableCompileCache();
    require(all).main();
  } else refuse('pawl: this checkout is not built; "npm run build" builds it');
}

/** @param {string} message */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
