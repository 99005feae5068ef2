// Owns a reader of a page of the documents: they write the files that it shows and give its commands, in an empty folder,
// and what is printed must be what the page says.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject } from 'vitest';
import { root } from '../../scripts/bundle.js';
import { type CliRig, waitUntil } from './rig.ts';
import { escaped, type PageAction, patternOf, readPage, readTyped } from './tutorial-page.ts';

const START = join(import.meta.dirname, 'start.js');
const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const CURL = join(import.meta.dirname, 'curl.js');

/** Someone who follows a page. What a placeholder such as `<id>` last stood for is what it stands for in a command. */
export class PageReader {
  readonly #rig: CliRig;
  readonly #bin: string;
  readonly #background: ChildProcess[] = [];
  /** Whether plain commands run in the process of the test, which is quicker; else each is a process. */
  readonly #isQuick: boolean;
  #isInstalled = false;
  #seen: Readonly<Record<string, string>> = {};

  constructor(rig: CliRig, { isQuick = true }: { readonly isQuick?: boolean } = {}) {
    this.#rig = rig;
    this.#isQuick = isQuick;
    this.#bin = join(rig.folder, 'bin');
    mkdirSync(this.#bin);
    this.#program('pawl', START);
    this.#program('curl', CURL);
  }

  /** Follows a page from its first line to its last. */
  async follow(markdown: string): Promise<void> {
    try {
      for (const action of readPage(markdown)) await this.perform(action);
    } finally {
      await this.#endBackground();
    }
  }

  /** Does one thing that a page says. */
  async perform(action: PageAction): Promise<void> {
    if (action.do === 'write') this.#rig.write(action.path, action.text);
    else this.#seen = { ...this.#seen, ...(await this.#give(action)) };
  }

  async #give({ line: written, printed, place }: PageAction & { readonly do: 'command' }): Promise<Readonly<Record<string, string>>> {
    const line = written.replace(/<(\w+)>/g, (all, name: string) => this.#seen[name] ?? all);
    if (place === 'terminal') return this.#atTerminal(line, printed);
    if (/^(node|npx) |--import /.test(line)) this.#install();
    if (line.endsWith(' &')) return this.#inBackground(line.slice(0, -2), printed);
    if (line === 'kill -9 %1') return this.#endBackground();
    // What kills its process must have one of its own.
    const words = this.#isQuick && !printed.includes('Killed') ? plainWords(line) : undefined;
    if (words?.[0] === 'pawl') return matched(line, await this.#inProcess(words.slice(1)), printed);
    const { stdout } = spawnSync('sh', ['-c', `exec 2>&1; ${line}`], { ...this.#place(line), encoding: 'utf8', timeout: 60_000 });
    return matched(line, stdout, printed);
  }

  /** Writes a program of the reader's path. */
  #program(name: string, script: string, before = ':'): void {
    writeFileSync(join(this.#bin, name), `#!/bin/sh\n${before}\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(join(this.#bin, name), 0o755);
  }

  /** Installs the package and the test runner into the reader's folder. */
  #install(): void {
    if (this.#isInstalled) return;
    this.#isInstalled = true;
    const modules = join(this.#rig.project, 'node_modules');
    mkdirSync(join(modules, 'pawl'), { recursive: true });
    cpSync(join(root, 'package.json'), join(modules, 'pawl', 'package.json'));
    symlinkSync(inject('bundle'), join(modules, 'pawl', 'dist'));
    for (const name of ['vitest', '@opentelemetry']) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    this.#rig.write('package.json', '{ "type": "module" }\n');
    this.#program('npx', VITEST, 'shift');
  }

  #place(line: string): { readonly cwd: string; readonly env: Record<string, string> } {
    const path = `${this.#bin}:${dirname(process.execPath)}:${process.env.PATH}`;
    const right = this.#rig.rightFor(line.split(' ').slice(1));
    return { cwd: this.#rig.project, env: this.#rig.env({ PATH: path, NODE_OPTIONS: '--no-warnings', NO_COLOR: '1', ...right }) };
  }

  async #inProcess(words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await this.#rig.run(words, { env: { PATH: this.#place('').env.PATH ?? '' } });
    return `${stdout}${stdout === '' || stdout.endsWith('\n') ? '' : '\n'}${stderr}`;
  }

  /** Starts a program that goes on, and waits for the lines that it prints first. */
  async #inBackground(line: string, printed: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const child = spawn('sh', ['-c', `exec ${line} 2>&1`], { ...this.#place(line), stdio: ['ignore', 'pipe', 'inherit'] });
    this.#background.push(child);
    let text = '';
    const watchers = new Set<() => void>();
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      for (const look of watchers) look();
    });
    const pattern = patternOf([...printed, '…']);
    await waitUntil(pattern, { all: () => text, watchers, ended: once(child, 'close') });
    return matched(line, text, [...printed, '…']);
  }

  async #endBackground(): Promise<Record<never, never>> {
    for (const child of this.#background.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }
    return {};
  }

  /** Types what the page types; what a terminal redraws comes several times, so the lines are looked for in their order. */
  async #atTerminal(line: string, printed: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const [program, ...words] = plainWords(line) ?? [];
    expect(program).toBe('pawl');
    const terminal = this.#rig.terminal(words, { env: { PATH: this.#place('').env.PATH ?? '' } });
    const prompts: string[] = [];
    for (const typed of printed.map(readTyped).filter((one) => one !== undefined)) {
      prompts.push(escaped(typed.prompt));
      await terminal.until(new RegExp(prompts.join('[\\s\\S]+')));
      terminal.type(`${typed.answer}\r`);
    }
    await terminal.ended;
    const text = `${terminal.text().replaceAll('\r', '')}\n`;
    const lines = printed.flatMap((expected) => (expected === '…' ? [] : ['…', expected]));
    return matched(line, text, [...lines, '…']);
  }
}

/** The words of a line that needs no shell: quotes are all that it may have; undefined if it has more. */
export function plainWords(line: string): readonly string[] | undefined {
  const parts = line.match(/'[^']*'|"[^"$`\\]*"|[^\s'"|&;<>$`\\*?()]+|\s+|[\s\S]/g) ?? [];
  const words = [''];
  for (const part of parts) {
    if (/^\s+$/.test(part)) words.push('');
    else if (/^(?:'[^']*'|"[^"]*")$/.test(part)) words.push(`${words.pop()}${part.slice(1, -1)}`);
    else if (part.length === 1 && /[|&;<>$`\\*?()'"]/.test(part)) return undefined;
    else words.push(`${words.pop()}${part}`);
  }
  return words;
}

/** What the placeholders of a page stand for in what was printed. */
function matched(line: string, output: string, printed: readonly string[]): Readonly<Record<string, string>> {
  const text = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const found = patternOf(printed).exec(text);
  // For whoever writes a page: SHOW_PAGE=1 shows what its commands print.
  if (process.env.SHOW_PAGE === '1') process.stdout.write(`$ ${line}\n${text}`);
  expect(found === null ? `$ ${line}\n${text}` : 'as the page says').toBe(
    found === null ? `$ ${line}\n${printed.join('\n')}\n` : 'as the page says',
  );
  return { ...found?.groups };
}
