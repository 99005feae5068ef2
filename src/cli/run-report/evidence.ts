// Prints the evidence of an attempt: each check with its result, the worker's claim, and the output of programs.

import { fieldOf, isJsonObject, type Json, type JsonObject, jsonText } from '../../base/json.ts';
import type { StepReport } from '../../control/schema/run.ts';
import { reportedError, type Verdict, verdictsOf } from '../../control/verdicts.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine } from '../terminal.ts';
import type { Detail } from './lines.ts';
import { cutLines } from './text.ts';

const INDENT = 6;
const TREE_SHOWN = 12;

/** The lines about an attempt, without its outcome. */
export function evidenceLines(shell: Shell, attempt: StepReport, detail: Detail): string[] {
  const max = detail === 'full' ? Number.POSITIVE_INFINITY : 4;
  const checks = verdictsOf(attempt);
  const failing = checks.some(({ passed }) => passed !== true);
  const message = attempt.error ?? attempt.rejection ?? reportedError(attempt);
  const error = message === null || failing ? [] : cutLines(shell, message, { indent: INDENT, max });
  const shownChecks = detail === 'full' || failing ? checks.flatMap((check) => checkLines(shell, check, max)) : [];
  const hidesClaim = attempt.claim === undefined || (detail === 'short' && !failing && attempt.error === null);
  const claim = hidesClaim ? [] : cutLines(shell, `claimed: ${jsonText(attempt.claim ?? null)}`, { indent: INDENT, max: Math.min(max, 3) });
  const about = [
    ...staleLines(shell, attempt),
    ...networkLines(shell, attempt),
    ...databaseLines(shell, attempt),
    ...credentialLines(shell, attempt, detail),
    ...writeLines(shell, attempt),
  ];
  return [...about, ...error, ...shownChecks, ...claim, ...(detail === 'full' ? recordLines(shell, attempt) : [])];
}

function staleLines(shell: Shell, { staleSince, evidence }: StepReport): string[] {
  if (staleSince === undefined) return [];
  const checked = String(fieldOf(evidence, 'tree')).slice(0, TREE_SHOWN);
  const text = `stale: it checked tree ${checked}, but the current tree is ${staleSince.slice(0, TREE_SHOWN)}; it does not count for a merge`;
  return cutLines(shell, text, { indent: INDENT, max: 2 });
}

function objectIn(evidence: StepReport['evidence'], name: string): JsonObject | undefined {
  const value = fieldOf(evidence, name);
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** Whether the worker's network access was limited, and which hosts it was denied. */
function networkLines(shell: Shell, { evidence }: StepReport): string[] {
  const network = objectIn(evidence, 'network');
  if (network === undefined) return [];
  const { enforcedBy, why, denied } = network;
  const refused = Array.isArray(denied) ? `; denied: ${denied.join(', ')}` : '';
  const text = enforcedBy === null ? `network: not enforced here: ${String(why)}` : `network: enforced by ${String(enforcedBy)}${refused}`;
  return cutLines(shell, text, { indent: INDENT, max: 3 });
}

/** The protected databases that something other than Pawl changed during the step. */
function databaseLines(shell: Shell, { evidence }: StepReport): string[] {
  return Object.entries(objectIn(evidence, 'changedMeanwhile') ?? {}).flatMap(([name, change]) => {
    if (!isJsonObject(change) || change.notByPawl !== true) return [];
    const tables = Array.isArray(change.tables) ? change.tables.filter(isJsonObject).map(({ table }) => String(table)) : [];
    const verb = change.removed === true ? 'removed' : 'changed';
    const text = `database "${name}" was ${verb} in the meantime by something other than Pawl${tables.length === 0 ? '' : `: ${tables.join(', ')}`}`;
    return cutLines(shell, text, { indent: INDENT, max: 3 });
  });
}

/** Whether the worker had access to logins; in short only if it had. */
function credentialLines(shell: Shell, { evidence }: StepReport, detail: Detail): string[] {
  const credentials = objectIn(evidence, 'credentials');
  if (credentials === undefined) return [];
  const { files, left } = credentials;
  const reachable = Array.isArray(left) ? `; within its reach: ${left.join(', ')}` : '';
  if (detail !== 'full' && reachable === '') return [];
  return cutLines(shell, `logins: git and gh have none, files with logins are ${String(files)}${reachable}`, { indent: INDENT, max: 3 });
}

/** The texts that were cleaned before they were written at the forge, or not written at all. */
function writeLines(shell: Shell, { evidence }: StepReport): string[] {
  const outputs = fieldOf(evidence, 'outputs');
  const texts = (Array.isArray(outputs) ? outputs.filter(isJsonObject) : []).flatMap(({ name, seen, changed, refused }) => [
    ...(Array.isArray(changed) ? [`output ${String(name)} (${String(seen)}) was cleaned: ${changed.join('; ')}`] : []),
    ...(typeof refused === 'string' ? [`output ${String(name)} was refused: ${refused}`] : []),
  ]);
  return texts.flatMap((text) => cutLines(shell, text, { indent: INDENT, max: 3 }));
}

function checkLines(shell: Shell, { name, passed, error, of }: Verdict, max: number): string[] {
  const mark = statusMark(shell, passed === true ? 'completed' : passed === false ? 'failed' : 'unknown');
  const head = `${' '.repeat(INDENT)}${mark} ${of} ${oneLine(name)}${passed === null ? ' could not be checked' : ''}`;
  return [head, ...(error === undefined ? [] : cutLines(shell, error, { indent: INDENT + 2, max }))];
}

/** Evidence that other functions print. */
const SHOWN_SEPARATELY = new Set(['preconditions', 'postconditions', 'outputs', 'verdict', 'network', 'credentials']);

function recordLines(shell: Shell, { output, evidence }: StepReport): string[] {
  const streams = isJsonObject(output) && typeof output.stdout === 'string' ? output : undefined;
  const rest = Object.entries(isJsonObject(evidence) ? evidence : {}).filter(([name]) => !SHOWN_SEPARATELY.has(name));
  const printed = streams === undefined ? { output } : { stdout: streams.stdout, stderr: streams.stderr };
  const blocks = { ...printed, evidence: rest.length === 0 ? null : Object.fromEntries(rest) };
  return Object.entries(blocks).flatMap(([title, value]) => textBlock(shell, title, value));
}

function textBlock(shell: Shell, title: string, value: Json | undefined): string[] {
  if (value === undefined || value === null || value === '') return [];
  const text = jsonText(value, 2);
  const lines = cutLines(shell, text, { indent: INDENT + 2, max: Number.POSITIVE_INFINITY });
  const head = ' '.repeat(INDENT);
  return lines.length === 1 ? [`${head}${title}: ${lines[0]?.trim()}`] : [`${head}${title}:`, ...lines];
}
