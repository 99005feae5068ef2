// Owns how the evidence of an attempt is told: each check with what was seen, what the worker claimed beside it, what a
// program said.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine } from '../terminal.ts';
import type { Detail } from './lines.ts';
import type { StoryStep } from './story.ts';
import { cutLines, jsonText } from './text.ts';

const INDENT = 6;
const TREE_SHOWN = 12;

/** What there is to say about an attempt beside its outcome. */
export function evidenceLines(shell: Shell, attempt: StoryStep, detail: Detail): string[] {
  const max = detail === 'full' ? Number.POSITIVE_INFINITY : 4;
  const checks = checksOf(attempt);
  const failing = checks.some(({ passed }) => passed !== true);
  const trouble = attempt.error ?? reportedError(attempt);
  const error = trouble === null || failing ? [] : cutLines(shell, trouble, { indent: INDENT, max });
  const shownChecks = detail === 'full' || failing ? checks.flatMap((check) => checkLines(shell, check, max)) : [];
  const claim =
    attempt.claim === undefined || (detail === 'short' && !failing && attempt.error === null)
      ? []
      : cutLines(shell, `claimed: ${jsonText(attempt.claim)}`, {
          indent: INDENT,
          max: Math.min(max, 3),
        });
  return [...staleLines(shell, attempt), ...error, ...shownChecks, ...claim, ...(detail === 'full' ? keptLines(shell, attempt) : [])];
}

/** That a verdict is about files which are not those of the run any more. */
function staleLines(shell: Shell, { staleSince, evidence }: StoryStep): string[] {
  if (staleSince === undefined || !isJsonObject(evidence ?? null)) return [];
  const judged = String((evidence as JsonObject).tree).slice(0, TREE_SHOWN);
  const text = `stale: it judged the tree ${judged}, and the files are those of ${staleSince.slice(0, TREE_SHOWN)} by now; it does not count for a merge`;
  return cutLines(shell, text, { indent: INDENT, max: 2 });
}

/** What a worker that reported failure said; its step broke nothing, so there is no error of the engine's. */
function reportedError({ status, output }: StoryStep): string | null {
  return status === 'failed' && isJsonObject(output) && typeof output.error === 'string' ? output.error : null;
}

interface Check {
  readonly name: string;
  readonly passed: boolean | null;
  readonly error?: string;
  readonly of: string;
}

/** The conditions of a contract and the checks of a gate, as they were found. */
function checksOf({ evidence, output }: StoryStep): Check[] {
  const seen = isJsonObject(evidence) ? evidence : {};
  const gate = isJsonObject(output) && Array.isArray(output.checks) ? output.checks : [];
  return [
    ...verdictsOf(seen.preconditions, 'precondition'),
    ...verdictsOf(seen.postconditions, 'postcondition'),
    ...verdictsOf(seen.outputs, 'output'),
    ...verdictsOf(gate, 'check'),
  ];
}

function verdictsOf(list: Json | undefined, of: string): Check[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isVerdict).map(({ name, passed, error }) => ({
    name: String(name),
    passed: typeof passed === 'boolean' ? passed : null,
    of,
    ...(typeof error === 'string' ? { error } : {}),
  }));
}

function isVerdict(value: Json): value is JsonObject {
  return isJsonObject(value) && 'name' in value && 'passed' in value;
}

function checkLines(shell: Shell, { name, passed, error, of }: Check, max: number): string[] {
  const mark = statusMark(shell, passed === true ? 'completed' : passed === false ? 'failed' : 'unknown');
  const head = `${' '.repeat(INDENT)}${mark} ${of} ${oneLine(name)}${passed === null ? ' could not be checked' : ''}`;
  return [head, ...(error === undefined ? [] : cutLines(shell, error, { indent: INDENT + 2, max }))];
}

/** All that was kept of an attempt: its output and whatever else was observed. */
function keptLines(shell: Shell, { output, evidence }: StoryStep): string[] {
  const streams = isJsonObject(output) && typeof output.stdout === 'string' ? output : undefined;
  const { preconditions: _, postconditions: __, outputs: ___, verdict: ____, ...rest } = isJsonObject(evidence) ? evidence : {};
  return [
    ...(streams === undefined ? textBlock(shell, 'output', output) : []),
    ...(streams === undefined ? [] : textBlock(shell, 'stdout', streams.stdout)),
    ...(streams === undefined ? [] : textBlock(shell, 'stderr', streams.stderr)),
    ...(Object.keys(rest).length === 0 ? [] : textBlock(shell, 'seen', rest)),
  ];
}

function textBlock(shell: Shell, title: string, value: Json | undefined): string[] {
  if (value === undefined || value === null || value === '') return [];
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = cutLines(shell, text, { indent: INDENT + 2, max: Number.POSITIVE_INFINITY });
  const head = ' '.repeat(INDENT);
  return lines.length === 1 ? [`${head}${title}: ${lines[0]?.trim()}`] : [`${head}${title}:`, ...lines];
}
