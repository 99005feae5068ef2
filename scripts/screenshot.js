// Makes the pictures in docs/images: runs the built command line in a terminal of 80 and of 120 columns, answers its
// questions as a person would, and draws what was on the screen, with plain names for temporary folders.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { commitAll, writeIn } from '../test/browser/served-project.ts';
import { root } from './bundle.js';
import { FILES } from './picture-project.js';
import { drawScreen, readScreen } from './terminal-picture.js';

const WIDTHS = [80, 120];
const BYTES_MAX = 40 * 1024;
const PATIENCE_MS = 60_000;
const RUN = '7kq2m4p8x1c9v3bt';
const NIGHTLY = '9d3fh6j2w5n8r4ga';

/**
 * @typedef {{ wait: RegExp, type: string }} Answer
 * @typedef {{ words: string[], answers?: Answer[], until?: RegExp, exit?: number }} Scene a command, and how it goes on; `until` is when the picture is taken, and the steps of the project go on
 * @typedef {{ cwd: string, columns: number, home: string }} Stage
 */

/** The pictures of the project, in the order in which its runs get there. @type {Readonly<Record<string, Scene[]>>} */
const PICTURES = {
  'run-live': [
    {
      words: ['run', 'release', '--id', RUN],
      until: /unit: 57[\s\S]*total is 30[\s\S]*checking src/,
      answers: [{ wait: /Your answer/, type: '\r' }],
    },
  ],
  approval: [
    { words: ['inbox'], exit: 0 },
    {
      words: ['decide', RUN],
      answers: [
        { wait: /Your answer/, type: 'd\r' },
        { wait: /changes since[\s\S]*Your answer/, type: 'release\r' },
      ],
      exit: 0,
    },
  ],
  'show-failed': [{ words: ['show', NIGHTLY], exit: 0 }],
  'validate-error': [{ words: ['validate', 'broken.yaml'], exit: 2 }],
  graph: [{ words: ['graph', 'release'], exit: 0 }],
};

for (const columns of WIDTHS) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-pictures-')));
  try {
    await takePictures({ home, columns, cwd: createProject(home) });
    const suffix = columns === 80 ? '' : `-${columns}`;
    const demo = await play(
      { home, columns, cwd: home },
      { words: ['demo', '--no-pause'], answers: [{ wait: /Your answer/, type: 'commit\r' }], exit: 0 },
    );
    save(`demo${suffix}.svg`, columns, { text: `$ npx pawl demo\r\n${demo}`, home });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {Stage} stage */
async function takePictures(stage) {
  await play(stage, { words: ['trust', '--yes'], exit: 0 });
  for (const [name, scenes] of Object.entries(PICTURES)) {
    if (name === 'show-failed') await play(stage, { words: ['run', 'nightly', '--id', NIGHTLY] });
    let text = '';
    for (const scene of scenes) text += `$ pawl ${scene.words.join(' ')}\r\n${await play(stage, scene)}\r\n`;
    save(`${name}-${stage.columns}.svg`, stage.columns, { text, home: stage.home });
  }
}

/** Writes the files of the project and commits them. @param {string} home */
function createProject(home) {
  const cwd = join(home, 'project');
  for (const [path, text] of Object.entries(FILES)) writeIn(cwd, path, text);
  commitAll(cwd);
  return cwd;
}

/**
 * Plays a scene and returns what was sent to the terminal.
 * @param {Stage} stage
 * @param {Scene} scene
 * @returns {Promise<string>}
 */
function play({ cwd, columns, home }, { words, answers = [], until, exit }) {
  const { PATH = '', HOME = '' } = process.env;
  const terminal = spawn(process.execPath, [join(root, 'bin', 'pawl.js'), ...words], {
    cols: columns,
    rows: 100,
    cwd,
    // As README says it is started, so that the commands it prints are those for its reader.
    env: {
      PATH,
      HOME,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      TMPDIR: home,
      PAWL_STATE: join(home, 'state'),
      USER: 'ann',
      ...(words[0] === 'demo' ? { npm_command: 'exec' } : {}),
    },
  });
  const left = [...answers];
  let sent = '';
  let picture = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      terminal.kill('SIGKILL');
      reject(new Error(`pawl ${words.join(' ')} did not come to its end:\n${sent}`));
    }, PATIENCE_MS);
    terminal.onData((text) => {
      sent += text;
      if (left[0]?.wait.test(sent)) terminal.write(/** @type {Answer} */ (left.shift()).type);
      if (until === undefined || picture !== '' || !until.test(sent)) return;
      picture = sent;
      writeFileSync(join(cwd, 'go'), '');
    });
    terminal.onExit(({ exitCode }) => {
      clearTimeout(timer);
      if (until === undefined && exit !== undefined && exitCode !== exit)
        reject(new Error(`pawl ${words.join(' ')} ended with ${exitCode}:\n${sent}`));
      else resolve(until === undefined ? sent : picture);
    });
  });
}

/** @param {string} name @param {number} columns @param {{ text: string, home: string }} shown */
function save(name, columns, { text, home }) {
  const tidy = text.replaceAll(new RegExp(`${home}/pawl-demo-\\w+`, 'g'), '~/project').replaceAll(home, '~');
  const picture = drawScreen(readScreen(tidy, columns), columns);
  if (picture.length > BYTES_MAX) throw new Error(`${name} has ${picture.length} bytes; a picture has at most ${BYTES_MAX}`);
  const folder = join(root, 'docs', 'images');
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), picture);
  process.stdout.write(`${join(folder, name)}\n`);
}
