#!/usr/bin/env node
// The launcher. Any Node from 12 on can parse this file, so that an old one gets a sentence instead of a stack trace.
// A Node that is too old starts the pinned one of the installation in its place, if there is one.

import { existsSync } from 'fs';
import module from 'module';
import { fileURLToPath } from 'url';
import { chooseNode, findPinnedNode, runUnder } from './node-version.js';

const self = fileURLToPath(import.meta.url);
const commandLine = new URL('../dist/cli/main.js', import.meta.url);
const choice = chooseNode(process.versions.node, findPinnedNode(self));

if (choice.kind === 'other') {
  runUnder(choice.node, [self].concat(process.argv.slice(2)));
} else if (choice.kind === 'none') {
  refuse(choice.message);
} else if (!existsSync(fileURLToPath(commandLine))) {
  refuse('pawl: this checkout is not built; "npm run build" builds it');
} else {
  // Compiled once, loaded from then on: half the time of a start.
  if (module.enableCompileCache) module.enableCompileCache();
  import(commandLine.href).then((commands) => commands.main());
}

/** @param {string} message */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
