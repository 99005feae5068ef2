// Owns how the evidence of an attempt is printed: each check with its result, the worker's claim, and program output.

import { isJsonObject, type Json, type JsonObject, jsonText } from '../../base/json.ts';
import type { StepReport } from '../../control/run-report.ts';
import { reportedError, type Verdict, verdictsOf } from '../../control/verdicts.ts';
import type { Shell } from '../shell.ts';
import { statusMark } from '../status.ts';
import { oneLine } from '../terminal.ts';
import type { Detail } from './lines.ts';
import { cutLines } from './text.ts';

const INDENT = 6;
const TREE_SHOWN = 12;

/** The lines about an attempt besides its outcome. */
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

/** A note that the files have changed since this gate checked them. */
function staleLines(shell: Shell, { staleSince, evidence }: StepReport): string[] {
  if (staleSince === undefined || !isJsonObject(evidence)) return [];
  const judged = String(evidence.tree).slice(0, TREE_SHOWN);
  const text = `stale: it checked tree ${judged}, but the current tree is ${staleSince.slice(0, TREE_SHOWN)}; it does not count for a merge`;
  return cutLines(shell, text, { indent: INDENT, max: 2 });
}

/** Whether the limits on the worker's network access held, and which hosts it was denied. */
function networkLines(shell: Shell, { evidence }: StepReport): string[] {
  const network = isJsonObject(evidence) ? evidence.network : undefined;
  if (!isJsonObject(network ?? null)) return [];
  const { enforcedBy, why, denied } = network as JsonObject;
  const refused = Array.isArray(denied) ? `; denied: ${denied.join(', ')}` : '';
  const text = enforcedBy === null ? `network: not enforced here: ${String(why)}` : `network: enforced by ${String(enforcedBy)}${refused}`;
  return cutLines(shell, text, { indent: INDENT, max: 3 });
}

/** Which protected databases something other than Pawl changed while the step worked. */
function databaseLines(shell: Shell, { evidence }: StepReport): string[] {
  const meanwhile = isJsonObject(evidence) ? evidence.changedMeanwhile : undefined;
  return Object.entries(isJsonObject(meanwhile ?? null) ? (meanwhile as JsonObject) : {}).flatMap(([name, found]) => {
    if (!isJsonObject(found) || found.notByPawl !== true) return [];
    const tables = Array.isArray(found.tables) ? found.tables.filter(isJsonObject).map(({ table }) => String(table)) : [];
    const what = found.removed === true ? 'removed' : 'changed';
    const text = `database "${name}" was ${what} in the meantime by something other than Pawl${tables.length === 0 ? '' : `: ${tables.join(', ')}`}`;
    return cutLines(shell, text, { indent: INDENT, max: 3 });
  });
}

/** Whether logins were kept away from the worker. In short only what it could reach. */
function credentialLines(shell: Shell, { evidence }: StepReport, detail: Detail): string[] {
  const credentials = isJsonObject(evidence) ? evidence.credentials : undefined;
  if (!isJsonObject(credentials ?? null)) return [];
  const { files, left } = credentials as JsonObject;
  const reachable = Array.isArray(left) ? `; within its reach: ${left.join(', ')}` : '';
  if (detail !== 'full' && reachable === '') return [];
  return cutLines(shell, `logins: git and gh have none, files with logins are ${String(files)}${reachable}`, { indent: INDENT, max: 3 });
}

/** What was changed in texts before they were written at the forge, and what was not written. */
function writeLines(shell: Shell, { evidence }: StepReport): string[] {
  const outputs =
    isJsonObject(evidence) && Array.isArray(evidence.outputs) ? (evidence.outputs as readonly Json[]).filter(isJsonObject) : [];
  const texts = outputs.flatMap(({ name, seen, changed, refused }) => [
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

/** Everything recorded about an attempt: its output and other evidence. */
function recordLines(shell: Shell, { output, evidence }: StepReport): string[] {
  const streams = isJsonObject(output) && typeof output.stdout === 'string' ? output : undefined;
  const {
    preconditions: _,
    postconditions: __,
    outputs: ___,
    verdict: ____,
    network: _____,
    credentials: ______,
    ...rest
  } = isJsonObject(evidence) ? evidence : {};
  const printed = streams === undefined ? { output } : { stdout: streams.stdout, stderr: streams.stderr };
  const blocks = { ...printed, evidence: Object.keys(rest).length === 0 ? null : rest };
  return Object.entries(blocks).flatMap(([title, value]) => textBlock(shell, title, value));
}

function textBlock(shell: Shell, title: string, value: Json | undefined): string[] {
  if (value === undefined || value === null || value === '') return [];
  const text = jsonText(value, 2);
  const lines = cutLines(shell, text, { indent: INDENT + 2, max: Number.POSITIVE_INFINITY });
  const head = ' '.repeat(INDENT);
  return lines.length === 1 ? [`${head}${title}: ${lines[0]?.trim()}`] : [`${head}${title}:`, ...lines];
}
