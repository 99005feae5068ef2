#!/usr/bin/env node
// The launcher. Any Node from 8 on can parse this file, so that an old one gets a sentence instead of a stack trace. A
// Node that is too old starts the pinned one of the installation instead, if there is one.

'use strict';

const { existsSync } = require('fs');
const { isAbsolute, join } = require('path');

if (Number(process.versions.node.split('.')[0]) >= 24) run();
else runElsewhere();

function runElsewhere() {
  const { chooseNode, findPinnedNode, runUnder } = require('./node-version.js');
  const choice = chooseNode(process.versions.node, findPinnedNode(__filename));
  if (choice.kind === 'other') runUnder(choice.node, [__filename].concat(process.argv.slice(2)));
  else if (choice.kind === 'none') refuse(choice.message);
}

function run() {
  const file = join(__dirname, '..', 'dist', 'cli', 'main.cjs');
  if (!existsSync(file)) return refuse('pawl: this checkout is not built; "npm run build" builds it');
  const cache = cacheFolder();
  if (cache) require('module').enableCompileCache(join(cache, 'pawl'));
  require(file).main();
}

/** Compiled code is kept in a folder of the user. Node's default is a folder in /tmp, which other users may write to. */
function cacheFolder() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  return [XDG_CACHE_HOME, HOME && join(HOME, '.cache'), LOCALAPPDATA].find((folder) => folder && isAbsolute(folder));
}

/** @param {string} message */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
