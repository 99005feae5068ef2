// Owns `pawl skill resource`: lists the conventions and formats that come with Pawl, or prints one.

import { referenceText, referenceTexts } from '../../skills/resources/conventions.ts';
import { markedCopy } from '../../skills/resources/copies.ts';
import type { ParsedArgs } from '../command.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { table } from '../terminal.ts';

/** Lists all texts, or prints one; with --copy in the form for pasting into another text. */
export async function resource(shell: Shell, _project: Project, args: ParsedArgs): Promise<number> {
  const name = args.maybe('NAME');
  if (name === undefined) return listAll(shell);
  const found = referenceText(name);
  const text = args.has('copy') ? markedCopy(name) : found.text;
  if (!shell.wantsJson) {
    shell.write(text);
    return 0;
  }
  return shell.result({ resource: { ...found, text } }, () => []);
}

function listAll(shell: Shell): number {
  const resources = referenceTexts().map(({ name, kind, digest, text }) => {
    return { name, kind, digest, title: (text.split('\n', 1)[0] ?? '').replace(/^#+ /, '') };
  });
  return shell.result({ resources }, () => [
    ...table(shell.display, [
      { title: 'NAME', cells: resources.map((row) => row.name), style: (cell) => shell.style('bold', cell) },
      { title: 'KIND', cells: resources.map(({ kind }) => kind) },
      { title: 'DIGEST', cells: resources.map(({ digest }) => digest) },
      { title: 'TITLE', cells: resources.map(({ title }) => title), shrinks: 'text' },
    ]),
    '',
    '"pawl skill resource NAME" prints one.',
  ]);
}
