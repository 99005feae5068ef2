// A program that cut itself loose: no parent, no variables, a terminal of its own. It is told over a socket when the
// process that started it is gone, tries each command line in a new terminal, and reports how it ended.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { spawn } from '@lydell/node-pty';

const [, , socket = '', order = ''] = process.argv;
const { argv, cwd, env, commands } = JSON.parse(order);
const attacker = connect({ path: socket, allowHalfOpen: true });
// Whoever listens ends their side when the parent of this process is gone.
await text(attacker);

const ended = [];
for (const words of commands) ended.push(await attempt(words));
attacker.end(JSON.stringify(ended));

/**
 * Runs one command in a terminal; asked for a passphrase, it has none to give.
 * @param {readonly string[]} words
 */
function attempt(words) {
  const [program, ...first] = argv;
  const pty = spawn(program, [...first, ...words], { cols: 400, cwd, env });
  let printed = '';
  let isAsked = false;
  pty.onData((data) => {
    printed += data;
    if (isAsked || !printed.includes('Passphrase of')) return;
    isAsked = true;
    pty.write('\u0003');
  });
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, printed, isAsked })));
}
