// Owns which Node is new enough, and the sentence for one that is not. Written for old Nodes, like the launcher; the
// library has it in its bundle too.

'use strict';

/** As in pawl.js, which looks first. */
const NODE_MAJOR = 24;

/**
 * What to tell the user of a Node that is too old; nothing for one that will do.
 *
 * @param {string} version
 * @returns {string | undefined}
 */
function nodeProblem(version) {
  if (Number(version.split('.')[0]) >= NODE_MAJOR) return undefined;
  return `pawl: needs Node ${NODE_MAJOR} or later, and this is Node ${version}; install one from https://nodejs.org, or with a version manager ("nvm install ${NODE_MAJOR}")`;
}

module.exports = { nodeProblem };
