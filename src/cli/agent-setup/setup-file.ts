// Owns the kinds of files that `pawl init --claude`, `--codex`, `--gemini` and `--opencode` write. An existing file is changed
// only if the person agrees, and then only its missing parts are added.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../base/json.ts';
import { packageRoot } from '../package.ts';
import type { Shell } from '../shell.ts';

/** A file of a setup. */
export interface SetupFile {
  readonly file: string;
  readonly text: string;
  /** The part that an existing file lacks; undefined if it lacks nothing. */
  missingIn(text: string): MissingPart | undefined;
}

/** A part that an existing file lacks. */
export interface MissingPart {
  readonly add: string;
  /** The file with this part; undefined if it cannot be added automatically. */
  readonly merged: string | undefined;
}

/** How the person calls Pawl: `npx`, `pawl`. */
export function callWords(shell: Shell): readonly [string, ...string[]] {
  const [program = 'pawl', ...words] = shell.program.split(' ');
  return [program, ...words];
}

/** A file that the person may replace with a version of their own: it lacks nothing. */
export function wholeFile(file: string, text: string): SetupFile {
  return { file, text, missingIn: () => undefined };
}

/** A JSON file with our part in it. */
export function jsonFile(file: string, part: JsonObject): SetupFile {
  return {
    file,
    text: jsonText(part),
    missingIn: (text) => {
      const found = parseJsonObject(text);
      const merged = found === undefined ? undefined : (merge(found, part) as JsonObject);
      if (merged !== undefined && JSON.stringify(merged) === JSON.stringify(found)) return undefined;
      return { add: JSON.stringify(part, null, 2), merged: merged && jsonText(merged) };
    },
  };
}

/** A text file to which our part can be appended; `mark` occurs in it if our part is present. */
export function appendedFile(file: string, part: { readonly text: string; readonly mark: string }): SetupFile {
  return {
    file,
    text: part.text,
    missingIn: (text) =>
      text.includes(part.mark) ? undefined : { add: part.text.trimEnd(), merged: `${text.trimEnd()}\n\n${part.text}`.trimStart() },
  };
}

/** A template that calls Pawl as the person does. */
export function agentTemplate(shell: Shell, name: string): string {
  const text = readFileSync(join(packageRoot(), 'templates', 'agents', name), 'utf8');
  return text.replaceAll('PAWL ', () => `${shell.program} `);
}

/** The skill for programs that read `.agents/skills`. */
export function sharedSkill(shell: Shell, root: string): SetupFile {
  return wholeFile(join(root, '.agents', 'skills', 'pawl', 'SKILL.md'), agentTemplate(shell, 'SKILL.md'));
}

function jsonText(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Adds missing fields and list entries; existing values do not change. */
function merge(found: Json, part: Json): Json {
  if (Array.isArray(found) && Array.isArray(part)) {
    const known = new Set((found as readonly Json[]).map((item) => JSON.stringify(item)));
    return [...(found as readonly Json[]), ...(part as readonly Json[]).filter((item) => !known.has(JSON.stringify(item)))];
  }
  if (!isJsonObject(found) || !isJsonObject(part)) return found;
  const merged: Record<string, Json> = { ...found };
  for (const [key, value] of Object.entries(part)) merged[key] = Object.hasOwn(found, key) ? merge(found[key] as Json, value) : value;
  return merged;
}
