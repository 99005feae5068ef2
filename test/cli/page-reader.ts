// Owns the reader of a page: somebody who writes the files that it shows, gives its commands as they stand there, types its
// answers, and compares what is printed with what the page says.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CliRig } from './rig.ts';
import { type Deed, escaped, patternOf, readTyped } from './tutorial-page.ts';

const START = join(import.meta.dirname, 'start.js');

/** What the reader was shown last, for the commands after it. */
interface Shown {
  readonly id: string;
  readonly token: string;
}

/** A reader in the project of a rig. */
export class PageReader {
  readonly #rig: CliRig;
  readonly #path: string;
  /** Whether plain commands run in the process of the test, which is quicker; else each is a process. */
  readonly #isQuick: boolean;
  #shown: Shown = { id: '', token: '' };

  constructor(rig: CliRig, { isQuick = false }: { readonly isQuick?: boolean } = {}) {
    this.#rig = rig;
    this.#isQuick = isQuick;
    const bin = join(rig.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec '${process.execPath}' '${START}' "$@"\n`);
    chmodSync(join(bin, 'pawl'), 0o755);
    this.#path = `${bin}:${process.env.PATH}`;
  }

  /** Does what a page says. */
  async perform(deed: Deed): Promise<void> {
    if (deed.do === 'write') return void this.#rig.write(deed.path, deed.text);
    const line = deed.line.replaceAll('<id>', this.#shown.id).replaceAll('<token>', this.#shown.token);
    this.#shown = {
      ...this.#shown,
      ...(deed.place === 'terminal' ? await this.#type(line, deed.printed) : await this.#give(line, deed.printed)),
    };
  }

  async #give(line: string, printed: readonly string[]): Promise<Partial<Shown> | undefined> {
    const words = this.#isQuick && !printed.includes('Killed') ? plainWords(line) : undefined;
    if (words?.[0] === 'pawl') {
      const { stdout, stderr } = await this.#rig.run(words.slice(1), { env: { PATH: this.#path } });
      return matched(line, `${stdout}${stdout === '' || stdout.endsWith('\n') ? '' : '\n'}${stderr}`, printed);
    }
    const env = this.#rig.env({ PATH: this.#path, ...this.#rig.rightFor(line.split(' ').slice(1)) });
    const { stdout } = spawnSync('sh', ['-c', `exec 2>&1; ${line}`], { cwd: this.#rig.project, env, encoding: 'utf8', timeout: 60_000 });
    return matched(line, stdout, printed);
  }

  /** Types what the page types; what a terminal redraws comes several times, so the lines are looked for in their order. */
  async #type(line: string, printed: readonly string[]): Promise<Partial<Shown> | undefined> {
    const [program, ...words] = plainWords(line) ?? [];
    expect(program).toBe('pawl');
    const terminal = this.#rig.terminal(words, { env: { PATH: this.#path } });
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

function matched(line: string, output: string, printed: readonly string[]): Partial<Shown> | undefined {
  const text = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const found = patternOf(printed).exec(text);
  expect(found === null ? `$ ${line}\n${text}` : 'as the page says').toBe(
    found === null ? `$ ${line}\n${printed.join('\n')}\n` : 'as the page says',
  );
  return found?.groups;
}
