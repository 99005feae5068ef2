// Makes docs/images/demo.svg: runs the built demo in a terminal of 80 columns, answers its question as a person would,
// and draws what was on the screen, with a plain name for the folder that the demo made.

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { root } from './bundle.js';
import { drawScreen, readScreen } from './terminal-picture.js';

const COLUMNS = 80;
const QUESTION = 'Your answer';
// Its real name is another one every time, and says nothing to whoever looks at the picture.
const FOLDER = new RegExp(`${realpathSync(tmpdir())}/pawl-demo-\\w+`, 'g');

const { PATH = '', HOME = '' } = process.env;
const terminal = spawn(process.execPath, [join(root, 'bin', 'pawl.js'), 'demo', '--no-pause'], {
  cols: COLUMNS,
  rows: 100,
  cwd: root,
  // As README says it is started, so that the commands it prints are those for its reader.
  env: { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color', TMPDIR: tmpdir(), npm_command: 'exec' },
});
let sent = '';
let answered = false;
terminal.onData((text) => {
  sent += text;
  if (answered || !sent.includes(QUESTION)) return;
  answered = true;
  terminal.write('commit\r');
});
terminal.onExit(({ exitCode }) => {
  if (exitCode !== 0) throw new Error(`the demo ended with ${exitCode}:\n${sent}`);
  const file = join(root, 'docs', 'images', 'demo.svg');
  mkdirSync(join(root, 'docs', 'images'), { recursive: true });
  writeFileSync(file, drawScreen(readScreen(`$ npx pawl demo\r\n${sent.replaceAll(FOLDER, '~/project')}`), COLUMNS));
  process.stdout.write(`${file}\n`);
});
