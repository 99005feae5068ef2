// Finds the script or program after the options of a shell, an interpreter or a wrapper: `bash -eo pipefail ci.sh`,
// `timeout -s KILL 60 pytest`.

import { basename } from 'node:path';

/** The shells. */
export const SHELLS: ReadonlySet<string> = new Set('sh bash dash ash zsh ksh mksh'.split(' '));

/** Programs that run a script in another language. */
export const INTERPRETERS: ReadonlySet<string> = new Set('node deno bun tsx ts-node python pypy ruby perl php lua Rscript'.split(' '));

const SHELL_VALUES = /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/;
const JS_VALUES =
  /^(?:-[rCP]|--(?:require|import|(?:experimental-)?loader|preload|env-file(?:-if-exists)?|conditions|input-type|title|tsconfig|project|config|cwd|watch-path|test-(?:reporter|reporter-destination|name-pattern|skip-pattern|concurrency|timeout|shard)))$/;
const PYTHON_VALUES = /^(?:-[WX]|--check-hash-based-pycs)$/;
const SUDO_VALUES = /^(?:-[ugCDhpRTU]|--(?:user|group|chdir|host|prompt|chroot))$/;
const NPX_VALUES = /^(?:-[pw]|--(?:package|workspace))$/;
const UV_VALUES = /^(?:-[pw]|--(?:with|with-requirements|with-editable|python|extra|group|project|directory|env-file|index|package|from))$/;

/** The options of each program that are followed by a value. */
const VALUES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries([...SHELLS].map((name) => [name, SHELL_VALUES])),
  ...{ node: JS_VALUES, tsx: JS_VALUES, 'ts-node': JS_VALUES, bun: JS_VALUES },
  deno: /^(?:-[cL]|--(?:config|import-map|log-level|cert|location|seed|preload))$/,
  ...{ python: PYTHON_VALUES, pypy: PYTHON_VALUES },
  ruby: /^-[IrCXE]$/,
  perl: /^-I$/,
  php: /^-[dcz]$/,
  lua: /^-l$/,
  timeout: /^(?:-[sk]|--signal|--kill-after)$/,
  ...{ sudo: SUDO_VALUES, doas: SUDO_VALUES },
  env: /^(?:-[uC]|--unset|--chdir)$/,
  nice: /^(?:-n|--adjustment)$/,
  stdbuf: /^(?:-[ioe]|--(?:input|output|error))$/,
  time: /^(?:-[fo]|--format|--output)$/,
  dotenv: /^-[ecpv]$/,
  ...{ npx: NPX_VALUES, bunx: NPX_VALUES },
  xargs: /^(?:-[aEdILnPs]|--(?:arg-file|delimiter|max-args|max-procs|max-lines|max-chars))$/,
  ...{ uv: UV_VALUES, uvx: UV_VALUES },
  coverage: /^--(?:source|omit|include|rcfile|data-file|concurrency|context)$/,
  'xvfb-run': /^(?:-[enspfl]|--(?:server-args|server-num|error-file|auth-file))$/,
};

/** The name of a program: `python3.12` is python, and `vitest@3` vitest. */
export function programName(word: string): string {
  const name = basename(word).replace(/(?<=.)@.*$/, '');
  return name.replace(/^(python|pypy)[\d.]*$/, '$1');
}

/** The words after the options of a program, starting with the script or program that it runs. */
export function withoutOptions(name: string, words: readonly string[]): readonly string[] {
  const values = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  const isOption = (word: string, index: number): boolean =>
    /^[-+]/.test(word) || (index > 0 && values?.test(words[index - 1] as string) === true);
  const start = words.findIndex((word, index) => !isOption(word, index));
  return start === -1 ? [] : words.slice(start);
}

/** The words starting with the program that a wrapper starts; numbers and assignments may come before it. */
export function startedProgram(name: string, words: readonly string[]): readonly string[] {
  let rest = withoutOptions(name, words);
  while (rest[0] !== undefined && /^\d+(?:\.\d+)?[smhd]?$|^[A-Za-z_]\w*=/.test(rest[0])) rest = withoutOptions(name, rest.slice(1));
  return rest;
}
