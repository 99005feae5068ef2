// Stops `npm test` with one sentence when the Node that runs it is too old. `npm run` puts the pinned Node first in
// PATH, so this only speaks where that package is not installed: elsewhere than on Linux x64.

import { chooseNode } from '../bin/node-version.js';

const choice = chooseNode(process.versions.node, undefined);
if (choice.kind === 'none') {
  process.stderr.write(`${choice.message}\n`);
  process.exitCode = 2;
}
